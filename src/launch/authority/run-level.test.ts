import { describe, expect, test } from 'vitest'
import type { NewLevelChange, StepPlace } from '../../engine/index.ts'
import type { ActionFacts, Level, LevelSetting } from '../../loop/index.ts'
import { createMemoryStore } from '../../testing/memory-store/memory-store.ts'
import { atCurrentLevel, findRunLevel } from './run-level.ts'

const scope = { loop: 'sweeper', repository: '/shop' }
const by = { by: 'ada', reason: 'why', atMs: 1 }
let key = 0

function open() {
  const { trust } = createMemoryStore()
  return {
    trust,
    record: (fields: Partial<NewLevelChange>) =>
      trust.record({
        ...scope,
        ...by,
        kind: 'merge',
        cause: 'granted',
        key: `${++key}`,
        ...fields,
      }),
    level: (setting: LevelSetting, kinds: readonly string[] = ['merge'], loop = scope) =>
      findRunLevel({ ...loop, setting, trust }, kinds),
  }
}

describe('the level of a run', () => {
  test('is that of its loop file while nothing changed it; earned begins at 1', async () => {
    const { level } = open()
    const settings: readonly LevelSetting[] = [1, 2, 3, 'earned']
    expect(await Promise.all(settings.map((one) => level(one)))).toEqual([1, 2, 3, 1])
  })

  test('is never above the file and never above what the loop was left with', async () => {
    for (const stored of [1, 2, 3] as const) {
      const { level, record } = open()
      await record({ level: stored })
      expect(await level(2)).toBe(Math.min(2, stored))
      expect(await level(3)).toBe(stored)
      expect(await level('earned')).toBe(stored)
    }
  })

  test('falls with an escape, and stays there when the file asks for more', async () => {
    const { level, record } = open()
    await record({ cause: 'escape', level: 2, starting: 3 })
    expect(await level(3)).toBe(2)
    await record({ cause: 'escape', level: 'lower' })
    expect(await level(3)).toBe(1)
    expect(await level('earned')).toBe(1)
    await record({ level: 3 })
    expect(await level(3)).toBe(3)
  })

  test('is not touched by proposals and bars', async () => {
    const { level, record } = open()
    await record({ cause: 'bars' })
    await record({ cause: 'proposed' })
    expect(await level(3)).toBe(3)
  })

  test('is the lowest of those of its kinds, in its repository only', async () => {
    const { level, record } = open()
    await record({ level: 1, kind: 'comment' })
    await record({ level: 2 })
    expect(await level(3, ['merge', 'draft'])).toBe(2)
    expect(await level(3, ['merge', 'comment'])).toBe(1)
    expect(await level(3, ['comment'], { loop: 'sweeper', repository: '/other' })).toBe(3)
    expect(await level(3, [])).toBe(3)
  })
})

describe('a gate that is asked after the level fell', () => {
  const facts = { verified: true, files: [], spent: { tokens: 0, costMicros: 0 } }
  const place = { iteration: 1, step: 'gate:merge#1' as StepPlace['step'] } as StepPlace

  async function ask(stored: Level | undefined, of: Level) {
    const { record, trust } = open()
    if (stored !== undefined) await record({ cause: 'escape', level: stored })
    const seen: Level[] = []
    const gate = atCurrentLevel(
      {
        async judge(_action, _at, { level }: ActionFacts) {
          seen.push(level)
          return { type: 'allow', rule: 'test' }
        },
      },
      { ...scope, setting: 3, trust },
    )
    const verdict = await gate.judge({ kind: 'merge', summary: 'm' }, place, {
      ...facts,
      level: of,
    })
    return { seen, type: verdict.type }
  }

  test('sees the lower level, and denies everything at level 1', async () => {
    expect(await ask(undefined, 3)).toEqual({ seen: [3], type: 'allow' })
    expect(await ask(2, 3)).toEqual({ seen: [2], type: 'allow' })
    expect(await ask(1, 3)).toEqual({ seen: [], type: 'deny' })
    // A run never rises while it runs.
    expect(await ask(3, 2)).toEqual({ seen: [2], type: 'allow' })
  })
})
