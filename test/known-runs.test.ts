/**
 * A look at the levels of a loop reads only what is new, and finds what a look that reads everything finds: on random histories
 * of runs and of a repository, with branches that move in any way, runs that are removed, and processes that are killed before
 * they store what they found.
 */

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { updateLevels } from '../src/launch/levels/update-levels.ts'
import { seededRandom } from '../src/testing/seeded-random.ts'
import { afterStory } from './after.ts'
import {
  addRun,
  createRepository,
  deeds,
  openSide,
  pick,
  type Side,
  type World,
  work,
} from './level-histories.ts'
import { share } from './share.ts'

async function found(side: Side) {
  const problems: string[] = []
  const look = { onProblem: (problem: string) => void problems.push(problem) }
  const { escapes, items } = await updateLevels(side, look)
  const levels = items.map(({ history, ...item }) => ({
    ...item,
    history: history.map(({ cause, from, level, reason }) => ({ cause, from, level, reason })),
  }))
  return { escapes, levels, problems }
}

const histories = share(60, 1)
const deedsPerHistory = share(25, 12)

test.each(Array.from({ length: histories }, (_, at) => at + 1))(
  'history %i',
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'loopwright-known-runs-'))
    afterStory(() => rmSync(folder, { recursive: true, force: true }))
    const repository = createRepository(folder)
    const sides = [openSide(join(folder, 'known')), openSide(join(folder, 'all'))] as const
    const earlier = join(folder, 'earlier')
    const world: World = { random: seededRandom(seed), repository, sides, stories: [], earlier }
    const done: string[] = []
    for (let at = 0; at < deedsPerHistory; at += 1) {
      const [name, deed] =
        at === 0 ? ['work', work] : (pick(world.random, Object.entries(deeds)) ?? ['work', work])
      done.push(name)
      await deed(world, at)
      // The other one reads everything, each time.
      rmSync(join(sides[1].folder, 'levels'), { recursive: true, force: true })
      const known = await found(sides[0])
      expect({ done, ...known }).toEqual({ done, ...(await found(sides[1])) })
      if (world.random.chance(0.3)) {
        rmSync(earlier, { recursive: true, force: true })
        cpSync(join(sides[0].folder, 'levels'), earlier, { recursive: true })
      }
    }
  },
  300_000,
)

test('a look reads the events of runs that have ended once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-known-runs-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const repository = createRepository(folder)
  const side = openSide(join(folder, 'known'))
  const base = repository.git('rev-parse', 'main')
  for (const name of ['one', 'two'])
    await addRun(side, repository, {
      name,
      base,
      commit: repository.commit(name, name),
      target: 'main',
    })
  const read: string[] = []
  const journal: Side['journal'] = {
    ...side.journal,
    read(run, range) {
      read.push([...side.runs].find(([, { run: id }]) => id === run)?.[0] ?? run)
      return side.journal.read(run, range)
    },
  }
  const first = await found({ ...side, journal })
  expect(new Set(read)).toEqual(new Set(['one', 'two']))
  read.length = 0
  expect(await found({ ...side, journal })).toEqual(first)
  expect(read).toEqual([])
  await addRun(side, repository, { name: 'three', base, isFailing: true })
  const next = await found({ ...side, journal })
  expect(new Set(read)).toEqual(new Set(['three']))
  expect(next.escapes).toEqual([])
  repository.git('revert', '--no-edit', 'HEAD')
  const { escapes } = await found({ ...side, journal })
  expect(escapes).toMatchObject([{ run: 'two', kind: 'merge' }])
})
