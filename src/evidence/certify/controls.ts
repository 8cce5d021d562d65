/**
 * The control runs that show why the checks pass: with planted failures, the candidate without the work, and the
 * work without anything else.
 */

import { defined } from '../../loop/index.ts'
import type { ObservedTest } from '../observe/observation.ts'
import { compareTestFiles } from '../planting/index.ts'
import { runOnBase } from './base-answers.ts'
import type { ExaminationContext } from './certification.ts'
import { type ClassifiedWork, onlyAddsTests } from './classify-work.ts'
import { type ComparedTests, compareTests, unstableFiles } from './compare-tests.ts'
import {
  type ControlContext,
  type Lane,
  listLanes,
  note,
  otherLane,
  withProducers,
} from './lanes.ts'
import { type ControlRun, count, type Observations, type PlantedCommand } from './observations.ts'
import { plantInCommands, silentChecks } from './plant-in-commands.ts'
import { restoreFromBase, takeBackAddedTests } from './restore-from-base.ts'
import { type CheckRun, runChecks } from './run-checks.ts'
import { type AbleToFail, showAbleToFail } from './show-able-to-fail.ts'
import { workAlone } from './work-alone.ts'

type ControlResults = Pick<Observations, 'alone' | 'controls' | 'compared' | 'able' | 'commands'>

/** The most tests that stayed green in which failures are planted if none went from red to green (E9). */
const keptPlantedMax = 200
const bytesMax = 4 * 1024 * 1024

export async function runControls(
  certifying: ExaminationContext,
  run: Lane,
  observations: Observations,
  classified: ClassifiedWork,
): Promise<ControlResults> {
  const { parts, base, tree } = certifying
  const { reader } = parts
  const { work, aside, unopened } = classified
  const over = new Map([
    ...(await restoreFromBase(reader, base, aside, unopened)),
    ...(await takeBackAddedTests(reader, base, tree, work, onlyAddsTests)),
  ])
  const all: ControlContext = { certifying, run, observations, classified, over }
  const first = await compareAll(all, observations.own)
  const red = [...first.values()].reduce((sum, one) => sum + one.redToGreen.length, 0)
  const silent = silentChecks(observations, first)
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
  all: ControlContext,
  first: ReadonlyMap<string, ComparedTests>,
): Promise<ControlResults> {
  const { quick } = all.certifying.parts
  const able = quick ? new Map<string, AbleToFail>() : await plantAll(all, first)
  const commands = quick ? new Map<string, PlantedCommand>() : await plantInCommands(all, first)
  const reverted = await runReverted(all, first)
  const programs = [...commands.values()].flatMap(({ files }) => files)
  note(all, 'running the work alone on top of the base, in another environment')
  const { alone, controls } = await workAlone(all, otherLane(all), first, programs)
  const whole = await withoutUnstable(all, alone, await compareAll(all, alone))
  const compared = withoutIds(whole, reverted.unstable)
  return { alone, controls: [...controls, ...reverted.controls], compared, able, commands }
}

async function compareAll(
  { certifying, observations, classified }: ControlContext,
  alone: readonly CheckRun[],
  unstable: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): Promise<ReadonlyMap<string, ComparedTests>> {
  const compared = new Map<string, ComparedTests>()
  for (const { check, observation } of observations.own) {
    const base = observations.bases.get(check.name)
    const here = alone.find((ran) => ran.check.name === check.name)?.observation
    if (base === undefined || here === undefined) continue
    const known = await findTestsOnBase(certifying, classified, here.tests ?? [])
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
async function findTestsOnBase(
  { parts: { reader }, base, tree }: ExaminationContext,
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
  const isOnBase = ({ file, titles }: ObservedTest): boolean => {
    if (!files.has(file)) return false
    return !isWork.has(file) || added.get(file)?.has(titleText(titles)) === false
  }
  return new Set(tests.filter(isOnBase).map(({ id }) => id))
}

const titleText = (titles: readonly string[]): string => titles.join(' > ')

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

async function plantAll(
  all: ControlContext,
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<ReadonlyMap<string, AbleToFail>> {
  const { certifying, observations, over } = all
  const { parts, tree } = certifying
  const able = new Map<string, AbleToFail>()
  for (const [name, { redToGreen, keptGreen }] of compared) {
    const check = observations.own.find((ran) => ran.check.name === name)?.check
    if (check === undefined) continue
    const isRed = redToGreen.length > 0
    const tests = isRed ? redToGreen : keptGreen.slice(0, keptPlantedMax)
    if (tests.length === 0) continue
    const found = await showAbleToFail({
      reader: parts.reader,
      lanes: listLanes(all),
      tree,
      over,
      checks: withProducers(observations.own, check),
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

/** Only if something besides the work was changed: otherwise it is the base, which is known. */
async function runReverted(
  all: ControlContext,
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<RevertedRuns> {
  const { certifying, run, observations, classified } = all
  const { parts, base, tree } = certifying
  const { work, aside } = classified
  if (aside.length === 0 || work.length === 0) return notReverted
  const failed = observations.own.filter(
    ({ check }) =>
      observations.bases.get(check.name)?.status === 'not-met' && check.existing !== 'allow',
  )
  if (failed.length === 0) return notReverted
  note(all, 'reverting the work: what failed must fail again')
  const over = await restoreFromBase(parts.reader, base, work)
  const checks = [...new Set(failed.flatMap(({ check }) => withProducers(observations.own, check)))]
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
  const hasRedLeft = failed.some(({ check }) => stable.get(check.name)?.redToGreen.length !== 0)
  const held = isHeld(stable, failed)
  return {
    controls: hasRedLeft ? [{ name: 'work-taken-back', ran, held }] : [],
    unstable,
  }
}

interface RevertedRuns {
  readonly controls: readonly ControlRun[]
  /** Ids that failed on the base and pass there now: their result is not deterministic. */
  readonly unstable: ReadonlySet<string>
}

const notReverted: RevertedRuns = { controls: [], unstable: new Set() }

async function passingOnBase(
  { certifying, run }: ControlContext,
  own: readonly CheckRun[],
): Promise<ReadonlySet<string>> {
  const passing = new Set<string>()
  for (const { check } of own) {
    const again = await runOnBase(certifying.base, check, run.place, run)
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

/** Every test that went from red to green fails again, or does not load. */
function isRedAgain(
  ran: CheckRun | undefined,
  compared: ReadonlyMap<string, ComparedTests>,
): boolean {
  const tests = ran?.observation.tests
  const red = ran === undefined ? undefined : compared.get(ran.check.name)?.redToGreen
  if (tests === undefined || red === undefined) return true
  const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ id }) => id))
  return !red.some(({ id }) => passed.has(id))
}

/** If tests seem to be missing, runs the base again: what differs there is not stable. */
async function withoutUnstable(
  all: ControlContext,
  alone: readonly CheckRun[],
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<ReadonlyMap<string, ComparedTests>> {
  const { certifying, run, observations } = all
  const unstable = new Map<string, ReadonlySet<string>>()
  for (const [name, { missing, failing }] of compared) {
    const check = observations.own.find((ran) => ran.check.name === name)?.check
    const base = observations.bases.get(name)
    if (check === undefined || base === undefined) continue
    if (missing.length === 0 && failing.length === 0) continue
    const again = await runOnBase(certifying.base, check, run.place, run)
    unstable.set(name, unstableFiles(base.tests, again?.tests))
  }
  return [...unstable.values()].some(({ size }) => size > 0)
    ? compareAll(all, alone, unstable)
    : compared
}
