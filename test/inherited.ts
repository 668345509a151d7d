// Passes on the few environment variables that processes started by tests inherit, so that no other one changes what they do.

/** Where programs are, and where Node.js keeps compiled code. */
export function inherited(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
