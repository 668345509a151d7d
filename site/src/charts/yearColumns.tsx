// Shows columns by year, as a chart or as a table. What draws them is loaded beside the answer that has their numbers.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLoaded } from "../parts/useLoaded.ts";
import type { YearChart } from "./column.tsx";

const load = () => import("./yearDrawing.tsx");

/** Columns by year, drawn at the width of their container so that text keeps its size. All lengths are 1/16 rem. */
export function YearColumns(chart: YearChart) {
  const [isTable, setIsTable] = useState(false);
  const [isPriced, setIsPriced] = useState(false);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, isTable);
  const height = chart.height ?? 200;
  const full = height + (chart.columns.some(({ count }) => count !== undefined) ? 48 : 28);
  const part = useLoaded(true, load);
  const isOfDollars = chart.formatExact !== undefined && chart.isSmall !== true;
  const shown = isPriced && part !== undefined ? { ...chart, columns: part.inPrices(chart.columns) } : chart;
  const isDrawn = part !== undefined && width > 0;
  return (
    <div class="with-table">
      <div class="chart-switch">
        {isOfDollars && part?.isPriced(chart.columns) ? (
          <button
            type="button"
            class="link-button note"
            aria-controls={id}
            aria-pressed={isPriced}
            onClick={() => setIsPriced(!isPriced)}
          >
            In {part.priceYear} dollars
            <span class="hidden">: {chart.title}</span>
          </button>
        ) : null}
        <button
          type="button"
          class="link-button note"
          aria-controls={id}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? "Show as chart" : "Show as table"}
          <span class="hidden">: {chart.title}</span>
        </button>
      </div>
      <div id={id}>
        {isTable ? (
          part && <part.Table {...shown} />
        ) : (
          <div ref={box} class="chart-box">
            <svg
              class="chart-space"
              width="100%"
              height={isDrawn ? 0 : `${full / 16}rem`}
              aria-hidden="true"
            />
            {isDrawn ? <part.Drawing {...shown} width={width} height={height} full={full} /> : null}
          </div>
        )}
        {isPriced ? <p class="note">{part?.priceNote}</p> : null}
      </div>
    </div>
  );
}

/** The width of an element in 1/16 rem, which is 1 px unless the reader has larger text; 0 until it is known. Follows changes. */
function useWidth(box: { current: HTMLElement | null }, isHidden: boolean): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => {
      const textSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setWidth(Math.floor((element.clientWidth * 16) / textSize));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isHidden]);
  return width;
}
