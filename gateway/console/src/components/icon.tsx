/** Outlines on a grid of 16 pixels, drawn with a stroke of 1.5. */
const PATHS = {
  link: 'M6.5 9.5a3 3 0 0 0 4.2 0l2.4-2.4a3 3 0 0 0-4.2-4.2l-.9.9M9.5 6.5a3 3 0 0 0-4.2 0L2.9 8.9a3 3 0 0 0 4.2 4.2l.9-.9',
  chart: 'M2 14h12M4 11.5v-3M7 11.5V4M10 11.5V6M13 11.5V2.5',
  folder: 'M1.8 12.5v-9h4.4l1.5 2h6.5v7z',
  import: 'M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M2.5 10v3.5h11V10',
  export: 'M8 9.7V2.2M4.8 5.2 8 2l3.2 3.2M2.5 10v3.5h11V10',
  globe:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM1.8 8h12.4M8 1.8c2 2 2.6 4 2.6 6.2S10 12.2 8 14.200C6 12.2 5.4 10.2 5.4 8S6 3.8 8 1.8',
  webhook:
    'M6 8.5 3.9 12M10 8.5 12 12M5.6 12h4.800M5.8 7.600A2.7 2.7 0 1 1 10.6 5.500M4.3 9.600a2 2 0 1 0 1.3 2.400M11.7 10a2 2 0 1 1-1.3 2',
  key: 'M9.3 6.7 2.5 13.500M4 12l1.5 1.500M6 10l1.2 1.200M11 2.300a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.400z',
  members:
    'M6 7.500a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.200zM1.5 13.500c0-2.4 2-4 4.5-4s4.5 1.6 4.5 4M10.8 2.600a2.6 2.6 0 0 1 0 4.600M12.3 9.900c1.4.6 2.2 1.9 2.2 3.6',
  audit: 'M2.5 3h11M2.5 6.300h11M2.5 9.600h6M2.5 13h5M10.2 11.800l1.5 1.5 2.5-3',
  settings:
    'M2 5h6M12 5h2M2 11h2M8 11h6M10 3.200a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.600zM6 9.200a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.600z',
  down: 'M4 6.2 8 10.2 12 6.2',
  right: 'M6 4 10 8 6 12',
  close: 'M3.5 3.500l9 9M12.5 3.500l-9 9',
  plus: 'M8 2.500v11M2.5 8h11',
  search: 'M7 2.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.300l3.5 3.5',
  copy: 'M5.5 5.500h8v8h-8zM3.5 10.500h-1v-8h8v1',
  qr: 'M2.5 2.500h4v4h-4zM9.5 2.500h4v4h-4zM2.5 9.500h4v4h-4zM9.5 9.500h1.500v1.500M13.5 9.500v.5M9.5 13.500h.5M12.5 12.500h1v1h-1z',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  edit: 'M3 13l.6-2.900L11 2.700l2.3 2.3-7.4 7.400zM9.5 4.200l2.3 2.3',
  tag: 'M2.5 2.500h5l6 6-5 5-6-6zM5.3 5.300h.01',
  utm: 'M2 4h12M4.5 8h7M6.8 12h2.4',
  archive: 'M2 2.800h12v3H2zM3.2 5.800v7.400h9.600V5.800M6.2 8.600h3.6',
  restore: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.100M2.5 2v3h3',
  move: 'M1.8 12.500v-9h4.400l1.5 2h6.500v7zM6 9h4M8.6 7.3 10.2 9l-1.6 1.7',
  trash: 'M2.5 4h11M6 4V2.500h4V4M4 4l.5 9.500h7L12 4M6.7 6.800v4M9.3 6.800v4',
  check: 'M3 8.500l3.2 3.200L13 4.8',
  warning: 'M8 2.2 14.5 13.500h-13zM8 6.500v3.200M8 11.700h.01',
  alert: 'M8 1.800a6.2 6.2 0 1 0 0 12.400A6.2 6.2 0 0 0 8 1.800zM8 4.800v4M8 11h.01',
  offline: 'M2 2l12 12M4.5 6.200A3.2 3.2 0 0 0 4.7 12.500h6.800M7 4a4 4 0 0 1 4.7 3.3 2.7 2.7 0 0 1 2.2 3.7',
  lock: 'M3.5 7.200h9v6.300h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  clock: 'M8 1.800a6.2 6.2 0 1 0 0 12.400A6.2 6.2 0 0 0 8 1.800zM8 4.500V8l2.5 1.5',
  open: 'M9.5 2.500h4v4M13.5 2.5 8 8M11.5 9v4.500h-9v-9H7',
  desc: 'M8 2.500v11M4 9.500l4 4 4-4',
  asc: 'M8 13.500v-11M4 6.500l4-4 4 4',
  calendar: 'M2.5 3.500h11v10h-11zM2.5 6.500h11M5.5 2v2.500M10.5 2v2.5',
  table: 'M2 3h12M2 6.500h12M2 10h7M2 13.500h7',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.100M13.5 2v3h-3',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c0-3 2.4-4.8 5.5-4.800s5.5 1.8 5.5 4.8',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} stroke-width={name === 'dots' ? 2 : undefined} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0f5c48" />
      <path
        d="M6.2 10.2 11 22.4 16 13.2 21 22.4 24.4 13.8"
        fill="none"
        stroke="#fff"
        stroke-width="3.1"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="25.6" cy="8.4" r="3.6" fill="#ff7a45" />
    </svg>
  );
}
