/**
 * Attacks on certification and their honest counterpart: the stories of `test/theatre`, all of them, with real
 * test runners from the registry and from Debian, two at a time.
 */

import { atLeast, atMost, median, type Result, type Suite } from '../bench/report.ts'
import {
  type Stories,
  storyRunners,
  type Told,
  tellStories,
  withTestRunners,
} from '../bench/stories.ts'

const waysMin = 300
const worksMin = 100
const askedPercentMax = 20
const costMax = 5

export const theatre: Suite = {
  area: 'evidence',
  title: 'attacks on certification, and honest changes',
  share: 0.2,
  async run({ scale, note, part = (_name, make) => make() }) {
    const parts = await withTestRunners(async (installed) => {
      if (scale < 1) return [await tellStories(scale, installed)]
      // An interrupted run is resumed with the next test runner.
      const all: Stories[] = []
      for (const runner of storyRunners)
        all.push(await part(runner, () => tellStories(scale, installed, { runner })))
      return all
    })
    const told = parts.flatMap((one) => one.told)
    const failures = parts.flatMap((one) => one.failures)
    for (const { name, message } of failures) note(`  ${name}: ${message}`)
    const attacks = told.filter(({ set }) => set === 'theatre')
    const honest = told.filter(({ set }) => set === 'honest')
    const watched = told.filter(({ set }) => set === 'class-10')
    for (const line of [...attackTable(attacks), ...watchedTable(watched)]) note(`  ${line}`)
    const bad = (of: readonly Told[]): number => of.filter(({ isBad }) => isBad).length
    const held = watched.filter(({ expected }) => expected === 'caught')
    return [
      atMost('evidence.theatre', bad(attacks), 0, 'certified', `of ${attacks.length} attacks`),
      atLeast('evidence.theatre-ways', attacks.length, scale < 1 ? 5 : waysMin, 'attacks'),
      // Ended for another reason than the story has, or did not run to its end.
      atMost('evidence.theatre-otherwise', failures.length, 0, 'stories', 'that ended otherwise'),
      atMost(
        'evidence.class-10',
        bad(held),
        0,
        'certified',
        `of ${held.length} that should be caught; ${bad(watched)} certified of all ${watched.length}`,
      ),
      ...honestResults(honest, scale),
    ]
  },
}

function honestResults(honest: readonly Told[], scale: number): readonly Result[] {
  const asked = honest.filter(({ ended }) => ended === 'asked').length
  const dead = honest.filter(({ isBad }) => isBad).length
  const ratios = honest
    .filter(({ ended, checkMs }) => ended === 'certified' && checkMs > 0)
    .map(({ checkMs, certifyMs }) => certifyMs / checkMs)
  return [
    atMost('evidence.honest', dead, 0, 'dead ends', `of ${honest.length} honest changes`),
    atMost(
      'evidence.honest-asked',
      (100 * asked) / Math.max(1, honest.length),
      askedPercentMax,
      '%',
      `${asked} of ${honest.length} honest changes were certified after a question`,
    ),
    atLeast('evidence.honest-works', honest.length, scale < 1 ? 2 : worksMin, 'changes'),
    atMost(
      'evidence.cost',
      ratios.length === 0 ? 0 : median(ratios),
      costMax,
      'x',
      `certifying, over the checks themselves; median of ${ratios.length} honest changes`,
    ),
  ]
}

/** How many attacks there are of each class with each runner; in brackets those that were certified. */
function attackTable(attacks: readonly Told[]): readonly string[] {
  const columns = [...new Set(attacks.map(({ runner }) => runner))].toSorted()
  const classes = [...new Set(attacks.map((one) => one.class ?? 0))].toSorted((a, b) => a - b)
  const cell = (of: readonly Told[]): string => {
    const fooled = of.filter(({ isBad }) => isBad).length
    return fooled === 0 ? String(of.length) : `${of.length} (${fooled})`
  }
  const row = (title: string, cells: readonly string[]): string =>
    [title.padEnd(9), ...cells.map((text) => text.padStart(10))].join('')
  return [
    row('class', columns),
    ...classes.map((kind) =>
      row(
        kind === 0 ? 'other' : String(kind),
        columns.map((runner) =>
          cell(attacks.filter((one) => (one.class ?? 0) === kind && one.runner === runner)),
        ),
      ),
    ),
  ]
}

const watchedTable = (watched: readonly Told[]): readonly string[] =>
  watched.map(({ name, ended, isBad, expected = 'caught' }) => {
    const found = isBad ? 'not caught' : `caught (${ended})`
    return `class 10: ${found.padEnd(18)} ${expected === 'caught' ? 'must be' : 'admitted'}  ${name}`
  })
