/**
 * The runs that show what made the checks pass: planted failures, the candidate without the work, and the work
 * without anything else.
 */

import { defined } from '../../loop/index.ts'
import type { ObservedTest } from '../observe/observation.ts'
import { compareTestFiles } from '../planting/index.ts'
import { askBase } from './base-answers.ts'
import type { Examining } from './certifier.ts'
import type { ClassifiedWork } from './classify-work.ts'
import { type ComparedTests, compareTests, unstableFiles } from './compare-tests.ts'
import { type Controlling, type Lane, lanesOf, note, otherLane, withMakers } from './lanes.ts'
import { type PlantedCommand, plantInCommands, silentChecks } from './plant-in-commands.ts'
import { type Ran, runChecks } from './run-checks.ts'
import { type ControlRun, count, type Seen } from './seen.ts'
import { type AbleToFail, showAbleToFail } from './show-able-to-fail.ts'
import { takeBack } from './take-back.ts'
import { workAlone } from './work-alone.ts'

type Controlled = Pick<Seen, 'alone' | 'controls' | 'compared' | 'able' | 'commands'>

/** Of tests that passed on the base, where none went from red to green (E9). */
const keptPlantedMax = 200
const bytesMax = 4 * 1024 * 1024

export async function runControls(
  certifying: Examining,
  run: Lane,
  seen: Seen,
  classified: ClassifiedWork,
): Promise<Controlled> {
  const { parts, base } = certifying
  const over = await takeBack(parts.reader, base, classified.aside, classified.unopened)
  const all: Controlling = { certifying, run, seen, classified, over }
  const first = await compareAll(all, seen.own)
  const red = [...first.values()].reduce((sum, one) => sum + one.redToGreen.length, 0)
  const silent = silentChecks(seen, first)
  if (!parts.quick && (first.size > 0 || silent.length > 0)) {
    const what = red > 0 ? count(red, 'test') : first.size > 0 ? 'tests' : 'checks'
    note(all, `planting failures to show that ${what} can fail`)
  }
  const second = parts.quick ? undefined : await certifying.openAgain()
  try {
    return await runAll({ ...all, ...defined({ second }) }, first)
  } finally {
    await second?.close()
  }
}

async function runAll(
  all: Controlling,
  first: ReadonlyMap<string, ComparedTests>,
): Promise<Controlled> {
  const { quick } = all.certifying.parts
  const able = quick ? new Map<string, AbleToFail>() : await plantAll(all, first)
  const commands = quick ? new Map<string, PlantedCommand>() : await plantInCommands(all, first)
  const back = await takenBack(all, first)
  const programs = [...commands.values()].flatMap(({ files }) => files)
  note(all, 'running the work alone over the base, in another environment')
  const { alone, controls } = await workAlone(all, otherLane(all), first, programs)
  const whole = await withoutUnstable(all, alone, await compareAll(all, alone))
  const compared = withoutIds(whole, back.unstable)
  return { alone, controls: [...controls, ...back.controls], compared, able, commands }
}

async function compareAll(
  { certifying, seen, classified }: Controlling,
  alone: readonly Ran[],
  unstable: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): Promise<ReadonlyMap<string, ComparedTests>> {
  const compared = new Map<string, ComparedTests>()
  for (const { check, observation } of seen.own) {
    const base = seen.bases.get(check.name)
    const here = alone.find((ran) => ran.check.name === check.name)?.observation
    if (base === undefined || here === undefined) continue
    const known = await onBase(certifying, classified, here.tests ?? [])
    const found = compareTests({
      base,
      alone: here,
      candidate: observation,
      isOnBase: ({ id }) => known.has(id),
      unstable: unstable.get(check.name) ?? new Set(),
    })
    if (found !== undefined) compared.set(check.name, found)
  }
  return compared
}

/** Tests that the base has: in a file that is not work, or not added to one that is. */
async function onBase(
  { parts: { reader }, base, tree }: Examining,
  { work }: ClassifiedWork,
  tests: readonly ObservedTest[],
): Promise<ReadonlySet<string>> {
  const files = await reader.list(base)
  const isWork = new Set(work)
  const added = new Map<string, ReadonlySet<string> | undefined>()
  for (const file of new Set(tests.map((test) => test.file))) {
    if (!files.has(file) || !isWork.has(file)) continue
    const [before, after] = await Promise.all(
      [base, tree].map((one) => reader.read(one, file, bytesMax)),
    )
    const changes = before && after && (await compareTestFiles(file, decode(before), decode(after)))
    added.set(file, changes && new Set(changes.added.map(titleText)))
  }
  const isThere = ({ file, titles }: ObservedTest): boolean => {
    if (!files.has(file)) return false
    return !isWork.has(file) || added.get(file)?.has(titleText(titles)) === false
  }
  return new Set(tests.filter(isThere).map(({ id }) => id))
}

const titleText = (titles: readonly string[]): string => titles.join(' > ')

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

async function plantAll(
  all: Controlling,
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<ReadonlyMap<string, AbleToFail>> {
  const { certifying, seen, over } = all
  const { parts, tree } = certifying
  const able = new Map<string, AbleToFail>()
  for (const [name, { redToGreen, keptGreen }] of compared) {
    const check = seen.own.find((ran) => ran.check.name === name)?.check
    if (check === undefined) continue
    const isRed = redToGreen.length > 0
    const tests = isRed ? redToGreen : keptGreen.slice(0, keptPlantedMax)
    if (tests.length === 0) continue
    const found = await showAbleToFail({
      reader: parts.reader,
      lanes: lanesOf(all),
      tree,
      over,
      checks: withMakers(seen.own, check),
      check,
      tests,
      work: all.classified.work,
      rounds: isRed ? [['after'], ['value', 'before']] : [['before']],
      marker: `planted ${parts.token()}`,
    })
    able.set(name, found)
  }
  return able
}

/** Only where something besides the work was changed: else it is the base, which is known. */
async function takenBack(
  all: Controlling,
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<TakenBack> {
  const { certifying, run, seen, classified } = all
  const { parts, base, tree } = certifying
  const { work, aside } = classified
  if (aside.length === 0 || work.length === 0) return notTakenBack
  const failed = seen.own.filter(
    ({ check }) => seen.bases.get(check.name)?.status === 'not-met' && check.existing !== 'allow',
  )
  if (failed.length === 0) return notTakenBack
  note(all, 'taking the work back: what failed must fail again')
  const over = await takeBack(parts.reader, base, work)
  const checks = [...new Set(failed.flatMap(({ check }) => withMakers(seen.own, check)))]
  const ran = await runChecks({ ...run, tree, over }, checks)
  const isHeld = (reds: typeof compared, some: typeof failed): boolean =>
    some.every(({ check }) => {
      const again = ran.find((one) => one.check === check)
      if (again === undefined || again.result.status !== 'met') return isRedAgain(again, reds)
      return false
    })
  const doubtful = failed.filter((one) => !isHeld(compared, [one]))
  const unstable = await passingOnBase(all, doubtful)
  const stable = withoutIds(compared, unstable)
  const isAnyLeft = failed.some(({ check }) => stable.get(check.name)?.redToGreen.length !== 0)
  const held = isHeld(stable, failed)
  return {
    controls: isAnyLeft ? [{ name: 'work-taken-back', ran, held }] : [],
    unstable,
  }
}

interface TakenBack {
  readonly controls: readonly ControlRun[]
  /** Ids that failed on the base and pass there now: their result depends on the time or on chance. */
  readonly unstable: ReadonlySet<string>
}

const notTakenBack: TakenBack = { controls: [], unstable: new Set() }

async function passingOnBase(
  { certifying, run }: Controlling,
  own: readonly Ran[],
): Promise<ReadonlySet<string>> {
  const passing = new Set<string>()
  for (const { check } of own) {
    const again = await askBase(certifying.base, check, run.place, run)
    for (const { id, status } of again?.tests ?? []) if (status === 'passed') passing.add(id)
  }
  return passing
}

const withoutIds = (
  compared: ReadonlyMap<string, ComparedTests>,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, ComparedTests> =>
  new Map(
    [...compared].map(([name, one]) => [
      name,
      { ...one, redToGreen: one.redToGreen.filter(({ id }) => !ids.has(id)) },
    ]),
  )

/** Every test that went from red to green fails again, or cannot be loaded. */
function isRedAgain(ran: Ran | undefined, compared: ReadonlyMap<string, ComparedTests>): boolean {
  const tests = ran?.observation.tests
  const red = ran === undefined ? undefined : compared.get(ran.check.name)?.redToGreen
  if (tests === undefined || red === undefined) return true
  const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ id }) => id))
  return !red.some(({ id }) => passed.has(id))
}

/** Where tests seem to be missing, the base is asked once more: what differs there is not stable. */
async function withoutUnstable(
  all: Controlling,
  alone: readonly Ran[],
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<ReadonlyMap<string, ComparedTests>> {
  const { certifying, run, seen } = all
  const unstable = new Map<string, ReadonlySet<string>>()
  for (const [name, { missing, failing }] of compared) {
    const check = seen.own.find((ran) => ran.check.name === name)?.check
    const base = seen.bases.get(name)
    if (check === undefined || base === undefined) continue
    if (missing.length === 0 && failing.length === 0) continue
    const again = await askBase(certifying.base, check, run.place, run)
    unstable.set(name, unstableFiles(base.tests, again?.tests))
  }
  return [...unstable.values()].some(({ size }) => size > 0)
    ? compareAll(all, alone, unstable)
    : compared
}
