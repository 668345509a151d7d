// Remembers the last result of a function: most requests have the same headers as the one before, in the same second.

/** The same function, which computes nothing if its argument is the same as in the last call. */
export function rememberLast<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined;
  return (argument) => {
    if (last === undefined || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
