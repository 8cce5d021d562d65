/**
 * What a story must lead to, from the rules as docs/schedules.md states them: a list of moments that were read from a clock, and
 * a few numbers. It shares no code with what it is compared with.
 */

import type { Started, Story, Told } from './simulate.ts'

const dayMs = 86_400_000

/** `moments`: when it is due by the clock, over all of the time that the clock may show. Undefined: an interval. */
export function expectStory(
  story: Story,
  due: { readonly moments: readonly number[] } | { readonly everyMs: number },
): Told {
  const model = createModel(story, due)
  let at = story.fromMs
  let isUp = true
  let startsAt = Infinity
  const troubles = [...story.troubles]
  for (;;) {
    while (isUp) {
      const kill = model.handle(at)
      if (kill === 'idle') break
      if (kill === undefined) continue
      isUp = false
      startsAt = at + kill
    }
    const [trouble] = troubles
    const next = Math.min(isUp ? model.nextAt() : Infinity, trouble?.atMs ?? Infinity, startsAt)
    if (next > story.toMs) break
    at = Math.max(at, next)
    if (trouble !== undefined && trouble.atMs <= at) {
      troubles.shift()
      if (trouble.type === 'jump') model.jump(trouble.ms)
      else if (isUp) {
        isUp = false
        startsAt = at + trouble.ms
      }
    }
    if (startsAt <= at) {
      startsAt = Infinity
      isUp = true
    }
  }
  return model.told()
}

interface Model {
  /** What is due at a moment of real time: nothing, one thing, or one thing that kills the process for so long. */
  handle(at: number): 'idle' | undefined | number
  nextAt(): number
  jump(ms: number): void
  told(): Told
}

function createModel(
  story: Story,
  due: { readonly moments: readonly number[] } | { readonly everyMs: number },
): Model {
  const after = (wall: number): number =>
    'moments' in due
      ? (due.moments[countUpTo(due.moments, wall)] ?? Infinity)
      : story.fromMs + (Math.floor((wall - story.fromMs) / due.everyMs) + 1) * due.everyMs
  const started = new Map<string, Started & { readonly ends: number }>()
  let skew = 0
  let handled = 0
  /** Up to which moment of the clock all is done. */
  let done = story.fromMs
  let next = story.fromNext ? after(done) : story.fromMs
  let busyUntil = -Infinity

  function start(tick: string, at: number): { readonly ends: number; readonly atMs: number } {
    const known = started.get(tick)
    if (known !== undefined) return known
    const run = { tick, atMs: at + skew, ends: at + story.runMs(tick) }
    started.set(tick, run)
    return run
  }

  return {
    nextAt: () => next - skew,
    jump(ms) {
      skew += ms
    },
    handle(at) {
      const wall = at + skew
      if (wall < done - dayMs) {
        done = wall
        next = after(wall)
      } else if (wall < done && 'everyMs' in due) next = Math.min(next, wall + due.everyMs)
      if (wall < next) return 'idle'
      handled += 1
      const kill = story.kills.get(handled)
      const tick = `time:${next}`
      if (at < busyUntil) {
        // A run goes on: it is skipped.
        if (kill?.point === 'before-create' || kill?.point === 'after-create') return kill.downMs
      } else {
        if (kill?.point === 'before-create') return kill.downMs
        const run = start(tick, at)
        if (kill?.point === 'after-create') return kill.downMs
        busyUntil = run.ends
        done = Math.min(wall, Math.max(run.atMs, next))
        next = after(done)
        return kill?.downMs
      }
      done = wall
      next = after(done)
      return kill?.downMs
    },
    told: () => ({
      handled,
      started: [...started.values()].map(({ tick, atMs }) => ({ tick, atMs })),
    }),
  }
}

/** How many of a sorted list are not after a value. */
function countUpTo(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) <= value) low = middle + 1
    else high = middle
  }
  return low
}
