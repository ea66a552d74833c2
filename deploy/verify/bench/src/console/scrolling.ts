import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { rounded } from '../figures.js';
import { readSeen } from './observed-page.js';

const WHEEL_PX = 1500;
const WHEEL_EVERY_MS = 50;
const TIMEOUT_MS = 600_000;
const SLOW_FRAME_MS = 50;

export interface Scrolled {
  seconds: number;
  frames: number;
  frames_over_50_ms: number;
  longest_frame_ms: number;
  long_tasks: number;
}

const START_FRAMES = `{
  globalThis.waymarkFrames = [];
  let last = performance.now();
  const onFrame = (now) => {
    globalThis.waymarkFrames.push(now - last);
    last = now;
    globalThis.waymarkFrameRequest = requestAnimationFrame(onFrame);
  };
  globalThis.waymarkFrameRequest = requestAnimationFrame(onFrame);
}`;
const STOP_FRAMES = `cancelAnimationFrame(globalThis.waymarkFrameRequest), globalThis.waymarkFrames`;

/** Scrolls down until all links are loaded, and up again. */
export async function scrollThrough(
  page: Page,
  isAtEnd: () => Promise<boolean>,
): Promise<Record<'down' | 'up', Scrolled>> {
  await page.mouse.move(640, 500);
  const down = await scroll(page, WHEEL_PX, isAtEnd);
  const up = await scroll(page, -4 * WHEEL_PX, async () => (await page.evaluate<number>('scrollY')) === 0);
  return { down, up };
}

async function scroll(page: Page, step: number, isDone: () => Promise<boolean>): Promise<Scrolled> {
  const before = (await readSeen(page)).longTasksMs.length;
  const startedAt = performance.now();
  await page.evaluate(START_FRAMES);
  while (!(await isDone())) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('scrolling did not end in time');
    await page.mouse.wheel(0, step);
    await sleep(WHEEL_EVERY_MS);
  }
  const frames = await page.evaluate<number[]>(STOP_FRAMES);
  return {
    seconds: rounded((performance.now() - startedAt) / 1000, 1),
    frames: frames.length,
    frames_over_50_ms: frames.filter((ms) => ms > SLOW_FRAME_MS).length,
    longest_frame_ms: rounded(Math.max(...frames)),
    long_tasks: (await readSeen(page)).longTasksMs.length - before,
  };
}
