// Ties a box to its suggestions, and follows the one that is chosen.
import { useState } from "preact/hooks";
import { openPage } from "../address/opened.ts";
import { pageHref } from "../api/calls.ts";
import { useStatus } from "../api/useCall.ts";
import { useLoaded } from "../parts/useLoaded.ts";
import { cleanWords, readEin } from "../text/typed.ts";
import type { BoxOption } from "./boxOptions.tsx";
import type { Scope, Words } from "./fields.ts";

/** The label of a box. @param hasNames whether the release has a list of organizations */
export function boxLabel(hasNames: boolean): string {
  return hasNames ? "Purpose, organization, or EIN" : "Purpose or EIN";
}

const load = () => import("./boxOptions.tsx");

/** The properties of the box's field. @param onSearch searches for words */
export function useBox(text: string, scope: Scope, onSearch: (words: Words) => void) {
  const [isUsed, setIsUsed] = useState(false);
  const [options, setOptions] = useState<readonly BoxOption[]>([]);
  const part = useLoaded(isUsed, load);
  const status = useStatus().found?.body;
  /** The first may be taken before the organizations have arrived, of which one of this name would go before it. */
  const searchOrGo = async () => {
    const words = { scope, words: cleanWords(text) };
    const resolve = ({ resolveWords }: Awaited<ReturnType<typeof load>>) => resolveWords(text, scope, status);
    const target = await load()
      .then(resolve)
      .catch(() => words); // without it, words are searched
    if ("href" in target) openPage(target.href);
    else onSearch(target);
  };
  return {
    options: text.trim() === "" ? [] : options,
    onChoose: (option: BoxOption) => {
      const { target } = option;
      if ("href" in target) openPage(target.href);
      else if (option.key === options[0]?.key) void searchOrGo();
      else onSearch(target);
    },
    onEarly: () => {
      const ein = readEin(text);
      if (ein !== undefined)
        openPage(pageHref("funder", { ein })); // its page handles unknown EINs
      else void searchOrGo();
    },
    onUse: () => setIsUsed(true),
    children:
      part === undefined ? null : <part.BoxOptions text={text} scope={scope} onOptions={setOptions} />,
  };
}
