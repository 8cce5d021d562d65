/** Random troubles for simulated schedules, from a seed. */

import { type ModelTime, modelMoments, type Wanted } from './clock-model.ts'
import type { Story, Trouble } from './simulate.ts'
import type { KillPoint } from './simulated-daemon.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']

export interface Cadenced {
  readonly cadence: string
  readonly wanted?: Wanted
  readonly everyMs?: number
  readonly isRhythm?: boolean
}

const at =
  (hours: readonly number[], minutes: readonly number[]) =>
  ({ hour, minute }: ModelTime): boolean =>
    hours.includes(hour) && minutes.includes(minute)

/** With times in the hours that are skipped and repeated. */
export const cadences: readonly Cadenced[] = [
  { cadence: 'daily 02:30', wanted: at([2], [30]) },
  { cadence: 'daily 01:45', wanted: at([1], [45]) },
  {
    cadence: 'weekly sun 02:15',
    wanted: (time) => time.weekday === 0 && at([2], [15])(time),
  },
  { cadence: '0,30 1-3 * * *', wanted: at([1, 2, 3], [0, 30]) },
  {
    cadence: '15 */6 1,15 * *',
    wanted: (time) => [1, 15].includes(time.day) && at([0, 6, 12, 18], [15])(time),
  },
  { cadence: 'every 7h', everyMs: 7 * hourMs },
  { cadence: '45 * * * *', wanted: ({ minute }) => minute === 45, isRhythm: true },
]

/** A generator of numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface StoryOptions {
  readonly seed: number
  readonly timeZone: string
  readonly cadence: string
  readonly fromMs: number
  readonly days: number
}

export function makeStory({ seed, timeZone, cadence, fromMs, days }: StoryOptions): Story {
  const random = createRandom(seed)
  const upTo = (most: number): number => Math.floor(random() * most)
  const toMs = fromMs + days * dayMs
  const troubles: Trouble[] = []
  for (let atMs = fromMs + upTo(9 * dayMs); atMs < toMs; atMs += minuteMs + upTo(18 * dayMs)) {
    troubles.push(random() < 0.6 ? { type: 'down', atMs, ms: upTo(4 * dayMs) } : jump(atMs))
  }
  function jump(atMs: number): Trouble {
    const far = random() < 0.3
    const ms = upTo(far ? 9 * dayMs : 3 * hourMs)
    return { type: 'jump', atMs, ms: random() < 0.5 ? ms : -ms }
  }
  const points: readonly KillPoint[] = ['before-create', 'after-create', 'after-record']
  const kills = new Map<number, { readonly point: KillPoint; readonly downMs: number }>()
  for (let tick = 1; tick < 60_000; tick += 1 + upTo(20)) {
    kills.set(tick, { point: points[upTo(3)] ?? 'before-create', downMs: upTo(2 * dayMs) })
  }
  const runMsMax = [minuteMs, hourMs, 30 * hourMs][upTo(3)] ?? minuteMs
  const runMs = (tick: string): number => hash(`${seed} ${tick}`) % runMsMax
  return { cadence, timeZone, fromMs, toMs, fromNext: random() < 0.5, troubles, kills, runMs }
}

function hash(text: string): number {
  let value = 2_166_136_261
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0
  }
  return value
}

/** When it is due, over all of the time that its clock may show. */
export function dueBy(
  { cadence, wanted, everyMs, isRhythm = false }: Cadenced,
  { timeZone, fromMs, toMs, troubles }: Story,
): { readonly moments: readonly number[] } | { readonly everyMs: number } {
  if (everyMs !== undefined) return { everyMs }
  if (wanted === undefined) throw new Error(`${cadence} has no model`)
  const far = troubles.reduce((sum, one) => sum + (one.type === 'jump' ? Math.abs(one.ms) : 0), 0)
  const span = { fromMs: fromMs - far - dayMs, toMs: toMs + far + 32 * dayMs, isRhythm }
  return { moments: modelMoments(timeZone, wanted, span) }
}
