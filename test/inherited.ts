// Passes on the few environment variables that processes started by tests inherit, so that other variables do not affect them.

/** The folders of programs, and Node.js' folder for compiled code. */
export function inherited(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
