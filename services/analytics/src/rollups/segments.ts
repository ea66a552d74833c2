import { device, type Device } from '@waymark/shared/contract/analytics';
import type { Scan } from '../scans/scan.js';

/**
 * Rows are kept apart by device, trigger and kind, so that these filters choose among rows: every figure is a sum over
 * the segments that a selection lets through. Visitors would not add up by themselves. So `both` takes back what the
 * triggers count twice, and `bots` holds what bots add to people.
 */
export type TriggerPart = Scan['trigger'] | 'both';
export type Kind = 'people' | 'bots';

const DEVICES: readonly Device[] = device.options;
const TRIGGER_PARTS: readonly TriggerPart[] = ['link', 'qr', 'both'];
const KINDS: readonly Kind[] = ['people', 'bots'];

export const SEGMENTS = DEVICES.length * TRIGGER_PARTS.length * KINDS.length;

export function segmentOf(of: Device, trigger: TriggerPart, kind: Kind): number {
  return (
    (DEVICES.indexOf(of) * TRIGGER_PARTS.length + TRIGGER_PARTS.indexOf(trigger)) * KINDS.length + KINDS.indexOf(kind)
  );
}

export function deviceOf(segment: number): Device {
  return DEVICES[Math.floor(segment / (TRIGGER_PARTS.length * KINDS.length))]!;
}

export function isOfBots(segment: number): boolean {
  return segment % KINDS.length === KINDS.indexOf('bots');
}
