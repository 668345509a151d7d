// Shows the guide's reference: the fields of a record.
import { DescribedList } from "./operation.tsx";
import { P, Part } from "./prose.tsx";
import { grantFields } from "./rules.ts";

/** The fields of a grant. */
export function GrantRecord() {
  return (
    <Part title="Grant record">
      <P text="Every record has these eleven fields, in this order." />
      <DescribedList items={grantFields} />
    </Part>
  );
}
