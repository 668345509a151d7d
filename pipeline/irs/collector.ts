// Collects the values of a return from its elements, whichever parser found them.
import type { ElementRule, FormName, GrantField, GrantKind, ReturnField } from "./elementRule.ts";
import { documentRule } from "./elements.ts";
import { rowsPerReturn, tooManyRows } from "./objectIds.ts";
import type { ElementHandler, Values } from "./walk.ts";

/** One row of a table of grants, as filed. */
export type FiledGrant = { readonly kind: GrantKind } & { [Field in GrantField]: string | undefined };

/** A row without values. It has all properties from the start, because objects of one shape are read faster. */
function newRow(kind: GrantKind): FiledGrant {
  return {
    kind,
    businessLine1: undefined,
    businessLine2: undefined,
    person: undefined,
    recipientEin: undefined,
    amount: undefined,
    nonCashAmount: undefined,
    nonCashDescription: undefined,
    purpose: undefined,
    city: undefined,
    state: undefined,
    zip: undefined,
    country: undefined,
    status: undefined,
    relationship: undefined,
  };
}

/** The contents of a return. */
export type Collected = {
  readonly values: { [Field in ReturnField]?: string };
  /** In the order of the document, empty ones too. */
  readonly grants: FiledGrant[];
  /** The form whose main element the document has. */
  form: FormName | undefined;
};

/** Applies the rules of elements, and keeps the values of those that have one. */
export class Collector implements ElementHandler {
  readonly collected: Collected = { values: {}, grants: [], form: undefined };
  readonly #path: ElementRule[] = [documentRule];
  /** Depth below the last element that has a rule. */
  #unknown = 0;
  #grant: FiledGrant | undefined;

  find(xml: Uint8Array, start: number, end: number): ElementRule | undefined {
    return this.#unknown > 0 ? undefined : this.#path[this.#path.length - 1]?.below.find(xml, start, end);
  }

  open(rule: ElementRule | undefined): void {
    if (rule === undefined) {
      this.#unknown += 1;
      return;
    }
    this.#path.push(rule);
    if (rule.filledField !== undefined) this.collected.values[rule.filledField] = "X";
    this.#start(rule);
  }

  leaf(rule: ElementRule, values: Values, start: number, end: number): void {
    const { grantField, returnField } = rule;
    if (grantField !== undefined) {
      const grant = this.#grant;
      if (grant !== undefined) grant[grantField] ??= values.decode(start, end);
    } else if (returnField !== undefined) {
      this.collected.values[returnField] ??= values.decode(start, end);
    } else this.#start(rule); // an empty row, or an empty form
  }

  close(): void {
    if (this.#unknown > 0) this.#unknown -= 1;
    else if (this.#path.length > 1) this.#path.pop();
  }

  #start({ grant, form }: ElementRule): void {
    if (grant !== undefined) {
      this.#grant = newRow(grant);
      if (this.collected.grants.length === rowsPerReturn) throw tooManyRows();
      this.collected.grants.push(this.#grant);
    }
    if (form !== undefined) this.collected.form ??= form;
  }
}
