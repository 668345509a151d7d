// Collects the values of a return from its elements, whichever parser found them.
import {
  documentRule,
  type ElementRule,
  type FormName,
  type GrantField,
  type GrantKind,
  type ReturnField,
} from "./elements.ts";
import type { ElementHandler } from "./walk.ts";

/** One row of a table of grants, as filed. */
export type FiledGrant = { readonly kind: GrantKind } & { [Field in GrantField]?: string };

/** What was found in a return. */
export type Collected = {
  readonly values: { [Field in ReturnField]?: string };
  /** In the order of the document, empty ones too. */
  readonly grants: FiledGrant[];
  /** The form whose main element is there. */
  form: FormName | undefined;
};

/** Follows the rules of elements down the document, and keeps the values that have one. */
export class Collector implements ElementHandler {
  readonly collected: Collected = { values: {}, grants: [], form: undefined };
  readonly #decode: (text: string) => string;
  #path: ElementRule[] = [documentRule];
  /** Depth below the last element that has a rule. */
  #unknown = 0;
  #grant: FiledGrant | undefined;

  /** @param decode turns the text of an element into its value */
  constructor(decode: (text: string) => string) {
    this.#decode = decode;
  }

  /** Continues with elements that lie directly below an element with this rule. */
  enter(rule: ElementRule): void {
    this.#path = [rule];
    this.#unknown = 0;
    this.#grant = undefined;
  }

  open(name: string): boolean {
    const rule = this.#find(name);
    if (rule === undefined) {
      this.#unknown += 1;
      return false;
    }
    this.#path.push(rule);
    this.#start(rule);
    return true;
  }

  leaf(name: string, text: string): void {
    const rule = this.#find(name);
    if (rule === undefined) return;
    if (rule.grantField !== undefined) {
      if (this.#grant !== undefined) this.#grant[rule.grantField] ??= this.#decode(text).trim();
    } else if (rule.returnField !== undefined) {
      this.collected.values[rule.returnField] ??= this.#decode(text).trim();
    } else this.#start(rule); // an empty row, or an empty form
  }

  close(): void {
    if (this.#unknown > 0) this.#unknown -= 1;
    else if (this.#path.length > 1) this.#path.pop();
  }

  #find(name: string): ElementRule | undefined {
    return this.#unknown > 0 ? undefined : this.#path[this.#path.length - 1]?.below.get(name);
  }

  #start({ grant, form }: ElementRule): void {
    if (grant !== undefined) {
      this.#grant = { kind: grant };
      this.collected.grants.push(this.#grant);
    }
    if (form !== undefined) this.collected.form ??= form;
  }
}
