// Draws the icons of buttons and labels.

const paths = {
  search: "M7 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM11 11l3.8 3.8",
  download: "M8 1.5v9M4 7l4 4 4-4M2 14.2h12",
  copy: "M5.5 5.5h9v9h-9zM10.5 2.5v-1h-9v9h1",
  compare: "M2 14.2h12M3.5 11V7M8 11V3M12.500 11V5.500",
  out: "M3 13 13 3M5.500 3H13v7.500",
  in: "M13 3 3 13M10.500 13H3V5.500",
  follow: "M2.500 13.500h.010M2 8.500a5.500 5.500 0 0 1 5.500 5.500M2 3.500A10.500 10.500 0 0 1 12.500 14",
  filter: "M1.500 4h13M4 8h8M6.500 12h3",
  down: "M3 6l5 5 5-5",
  likely: "M2.500 5.500c2-3 4 3 6.500 0s3.500-1 4.500-1M2.500 11.500c2-3 4 3 6.500 0s3.500-1 4.500-1",
  close: "M4 4l8 8M12 4l-8 8",
} as const;

/** A decorative icon of 16 px; text beside it has the same meaning. */
export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}
