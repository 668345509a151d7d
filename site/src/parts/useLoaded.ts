// Loads a part of a page that most readers do not need.
import { useEffect, useState } from "preact/hooks";

/** The module of the part once it is wanted and loaded. A part that cannot be loaded is left out. */
export function useLoaded<Part>(isWanted: boolean, load: () => Promise<Part>): Part | undefined {
  const [part, setPart] = useState<{ readonly module: Part }>();
  useEffect(() => {
    if (isWanted && part === undefined)
      load().then(
        (module) => setPart({ module }),
        () => undefined,
      );
  }, [isWanted]);
  return isWanted ? part?.module : undefined;
}
