/**
 * Shows that checks without reported tests can fail: programs, scripts, linters. Failures are planted in the files
 * that such a check read and that are not the work, and the check must fail.
 *
 * 1. The code of the work stays as it is. Product files prove nothing, because they fail before the work runs, unless
 *    they check the work themselves.
 * 2. Files that refer to the work come first, then those that the command names, then all that were read.
 * 3. A check that passes with a planted failure may only read these files, as linters do. If it also passes when the
 *    code of the work throws at once, it does not run the work, and the work cannot change its result.
 */

import { findLanguageFamily } from '../mask-code.ts'
import type { OpenCheck, Overlay, OverlayFile } from '../parts.ts'
import { isProgram, type ProgramPlant, plantInProgram } from '../planting/index.ts'
import type { ComparedTests } from './compare-tests.ts'
import { type ControlContext, type Lane, listLanes, withProducers } from './lanes.ts'
import type { Observations, PlantedCommand, ProgramFailure } from './observations.ts'
import { type CheckRun, runChecks } from './run-checks.ts'

const kinds: readonly ProgramFailure[] = ['after', 'value']
/** The most files that are planted at once (E9). */
const filesMax = 50
/** The most product files that are examined. */
const productMax = 300
const bytesMax = 1024 * 1024

export async function plantInCommands(
  all: ControlContext,
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<ReadonlyMap<string, PlantedCommand>> {
  const found = new Map<string, PlantedCommand>()
  if (all.classified.work.length === 0) return found
  for (const ran of silentChecks(all.observations, compared)) {
    found.set(ran.check.name, await plantInCommand(all, ran))
  }
  return found
}

/** Checks that went from red to green; others only if none did and no runner reports tests. */
export function silentChecks(
  { own, bases }: Pick<Observations, 'own' | 'bases'>,
  compared: ReadonlyMap<string, ComparedTests>,
): readonly CheckRun[] {
  const silent = own.filter(
    ({ check, result }) =>
      check.kind === 'command' && result.status === 'met' && !compared.has(check.name),
  )
  const red = silent.filter(({ check }) => bases.get(check.name)?.status === 'not-met')
  return compared.size > 0 || red.length > 0 ? red : silent
}

async function plantInCommand(
  all: ControlContext,
  { check, observation }: CheckRun,
): Promise<PlantedCommand> {
  const marker = `planted ${all.certifying.parts.token()}`
  const files = await chooseFiles(all, check, observation.read ?? [])
  const planted = new Set<string>()
  const noticed: ProgramFailure[] = []
  const unnoticed: ProgramFailure[] = []
  const remaining = [...kinds]
  const plantRemaining = async (lane: Lane): Promise<void> => {
    for (let kind = remaining.shift(); kind !== undefined; kind = remaining.shift()) {
      const over = await plant(files, kind, marker)
      if (over.size === 0) continue
      for (const path of over.keys()) planted.add(path)
      const passes = await passesWith(all, lane, check, over)
      ;(passes ? unnoticed : noticed).push(kind)
    }
  }
  await Promise.all(listLanes(all).map(plantRemaining))
  return {
    files: [...planted],
    noticed,
    unnoticed,
    runsWork: unnoticed.length === 0 || (await runsWork(all, check, marker)),
  }
}

interface Source extends OverlayFile {
  readonly path: string
  readonly text: string
}

async function chooseFiles(
  all: ControlContext,
  check: OpenCheck,
  read: readonly string[],
): Promise<readonly Source[]> {
  const { work, observations } = all.classified
  const isWork = new Set(work)
  const paths = [...new Set([...check.names, ...read])].filter((path) => !isWork.has(path))
  const isProduct = (path: string): boolean => observations.isProduct?.(path) === true
  const outside = await readSources(
    all,
    paths.filter((path) => !isProduct(path)),
  )
  const isAbout = referrersTo(work)
  const named = new Set(check.names)
  const choices = [
    () => outside.filter((one) => isAbout(one.text) && isChecking(one)),
    () => findCheckingPrograms(all, paths.filter(isProduct), outside, named),
    () => outside.filter((one) => named.has(one.path) && isChecking(one)),
    () => outside.filter(isChecking),
  ]
  for (const choose of choices) {
    const chosen = await choose()
    if (chosen.length > 0) return chosen.slice(0, filesMax)
  }
  return []
}

const checkingWords =
  /\bassert|\bexpect|\bcheck|\bequal|\beq\(|\bfail|(?:^|[\s;&|])(?:\[|test|grep -q|cmp|diff)\s|\bexit 1\b/im
const testFolders = /(?:^|\/)(?:tests?|specs?|e2e|__tests__)\//

/** False for a product program that a command starts to look at its output. */
const isChecking = ({ path, text }: Source): boolean =>
  testFolders.test(path) || checkingWords.test(text)

/** Programs that check the work but lie among the product files, where their names do not reveal them. */
async function findCheckingPrograms(
  all: ControlContext,
  paths: readonly string[],
  outside: readonly Source[],
  named: ReadonlySet<string>,
): Promise<readonly Source[]> {
  const product = await readSources(all, paths.slice(0, productMax))
  const isAbout = referrersTo(all.classified.work)
  // Code that other code refers to is part of the product.
  const isStarted = ({ path }: Source): boolean => {
    const refersTo = referrersTo([path])
    return ![...product, ...outside].some((one) => one.path !== path && refersTo(one.text))
  }
  return product.filter(
    (one) => isChecking(one) && (named.has(one.path) || (isAbout(one.text) && isStarted(one))),
  )
}

async function readSources(
  all: ControlContext,
  paths: readonly string[],
): Promise<readonly Source[]> {
  const { certifying, over } = all
  const { parts, tree } = certifying
  const files = await parts.reader.list(tree)
  const sources: Source[] = []
  for (const path of paths) {
    const put = over.get(path)
    const kind = put === undefined ? files.get(path)?.kind : put?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const content = put?.content ?? (await parts.reader.read(tree, path, bytesMax))
    if (content === undefined || content.length > bytesMax) continue
    const text = new TextDecoder().decode(content)
    if (isProgram(path, text)) sources.push({ path, kind, content, text })
  }
  return sources
}

/** Judges by file names; ignores names that every folder has. */
function referrersTo(work: readonly string[]): (text: string) => boolean {
  const names = work
    .map((path) => path.replace(/^.*\//, '').replace(/\.\w+$/, ''))
    .filter((name) => name.length > 1 && !/^(?:index|main|mod|lib|__init__)$/.test(name))
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (names.length === 0) return () => false
  const pattern = new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`)
  return (text) => pattern.test(text)
}

async function plant(
  sources: readonly Source[],
  kind: ProgramPlant,
  marker: string,
): Promise<ReadonlyMap<string, OverlayFile>> {
  const planted = new Map<string, OverlayFile>()
  for (const { path, text, kind: mode } of sources) {
    const changed = await plantInProgram({ file: path, text, kind, marker })
    if (changed === undefined) continue
    planted.set(path, { kind: mode, content: new TextEncoder().encode(changed) })
  }
  return planted
}

async function passesWith(
  { certifying: { tree }, over, observations }: ControlContext,
  lane: Lane,
  check: OpenCheck,
  planted: Overlay,
): Promise<boolean> {
  const names = new Set(withProducers(observations.own, check).map(({ name }) => name))
  const here = lane.place.checks.filter(({ name }) => names.has(name))
  const ran = await runChecks({ ...lane, tree, over: new Map([...over, ...planted]) }, here)
  return ran.find((one) => one.check.name === check.name)?.result.status === 'met'
}

/** Code in which nothing can be planted may be run. */
async function runsWork(all: ControlContext, check: OpenCheck, marker: string): Promise<boolean> {
  const sources = await readSources(all, all.classified.work)
  const planted = await plant(sources, 'start', marker)
  const isUnknown = sources.some(
    ({ path, kind }) =>
      !planted.has(path) && (kind === 'executable' || findLanguageFamily(path) !== undefined),
  )
  if (isUnknown || planted.size === 0) return true
  return !(await passesWith(all, all.run, check, planted))
}
