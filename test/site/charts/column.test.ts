// Tests which columns of a chart get their values written.
import { describe, expect, it } from "vitest";
import { chooseLabels } from "../../../site/src/charts/column.tsx";

/** Columns 20 px apart with these upper edges, and texts of 30 px. */
const columnsAt = (...edges: number[]) => edges.map((y, index) => ({ x: 10 + 20 * index, y, half: 15 }));

describe("the values of a chart", () => {
  it("are all written if there is room", () => {
    const columns = [30, 90, 150].map((x) => ({ x, y: 50, half: 15 }));
    expect([...chooseLabels(columns, [0, 1, 2], 8)]).toStrictEqual([0, 1, 2]);
  });

  it("do not cover a higher column beside them", () => {
    expect([...chooseLabels(columnsAt(80, 40), [1, 0], 8)]).toStrictEqual([1]);
  });

  it("do not cover each other; the first one wanted wins", () => {
    expect([...chooseLabels(columnsAt(40, 42), [0, 1], 8)]).toStrictEqual([0]);
    expect([...chooseLabels(columnsAt(42, 40), [1, 0], 8)]).toStrictEqual([1]);
  });

  it("may stand above lower columns", () => {
    expect([...chooseLabels(columnsAt(80, 40, 80), [1], 8)]).toStrictEqual([1]);
  });
});
