// Owns what the processes that tests start inherit of the environment: nothing else decides what they do.

/** Where programs are found, and where what Node.js compiled once is kept. */
export function inherited(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
