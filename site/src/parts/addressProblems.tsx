// Shows the problems of an address that no field can show. Most addresses have none.
import type { AddressProblemsProperties } from "./addressProblemList.tsx";
import { useLoaded } from "./useLoaded.ts";

/** The notice; nothing if there is no problem. */
export function AddressProblems(properties: AddressProblemsProperties) {
  const isAny = properties.problems.length > 0;
  const List = useLoaded(isAny, () => import("./addressProblemList.tsx"))?.AddressProblemList;
  return List === undefined ? null : <List {...properties} />;
}
