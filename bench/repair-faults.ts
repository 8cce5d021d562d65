/** Faults in packages: planted, seen to fail by the package's own command, and given to the agent. */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPlainCommands } from 'loopwright'
import { repairAgent } from 'loopwright/agents'
import { createAgentContext } from 'loopwright/testing'
import { findFiles, type PlantedFault, plant, unplant } from '#src/agents/repair/index.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import { copySubject, installSubject, type Subject } from './repair-subjects.ts'

const exec = promisify(execFile)

export interface Trial {
  readonly subject: Subject
  readonly fault: PlantedFault
  readonly outcome: 'identical' | 'other' | 'not-found'
  readonly candidates: number
  readonly seconds: number
  /** Of all processors, by all processes that it started; 0 where that cannot be seen. */
  readonly cpuSeconds: number
  /** Edits that passed what was seen and failed what was held back. */
  readonly heldBackFailures: number
  readonly text: string
}

export interface PreparedSubject {
  readonly subject: Subject
  readonly place: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

const checkTimeoutMs = 60_000

/** Undefined when it cannot be had, or its tests do not pass as it is. */
export async function prepareSubject(
  subject: Subject,
  note: (text: string) => void,
): Promise<PreparedSubject | undefined> {
  try {
    const place = await installSubject(subject)
    if (!(await passes(subject, place))) throw new Error('its own tests do not pass here')
    const { sources } = await findFiles(place)
    return { subject, place, files: sources }
  } catch (error) {
    note(`  ${subject.name} is left out: ${String(error).split('\n')[0]}`)
    return undefined
  }
}

async function passes({ check }: Subject, cwd: string): Promise<boolean> {
  const [program = '', ...args] = check
  try {
    await exec(program, args, {
      cwd,
      timeout: checkTimeoutMs,
      maxBuffer: 2 ** 26,
      killSignal: 'SIGKILL',
    })
    return true
  } catch {
    return false
  }
}

/** A fault that the package's own tests notice, and that does not make them hang. */
export async function plantFault(
  { subject, place, files }: PreparedSubject,
  random: SeededRandom,
): Promise<{ readonly fault: PlantedFault; readonly draws: number } | undefined> {
  for (let draws = 1; draws <= 40; draws++) {
    const fault = plant({ files, random: random.next })
    if (fault === undefined) return undefined
    const folder = await mkdtemp(join(tmpdir(), 'loopwright-fault-'))
    try {
      await copySubject(place, folder)
      await writeFile(join(folder, fault.edit.file), fault.text)
      const beganMs = performance.now()
      const isSeen = !(await passes(subject, folder))
      if (isSeen && performance.now() - beganMs < checkTimeoutMs / 2) return { fault, draws }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return undefined
}

export async function tryFault(
  { subject, place }: PreparedSubject,
  fault: PlantedFault,
  { timeMs, seed }: { readonly timeMs: number; readonly seed: number },
): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-fault-'))
  try {
    await copySubject(place, folder)
    const file = join(folder, fault.edit.file)
    await writeFile(file, fault.text)
    const agent = repairAgent({
      checks: [subject.check],
      commands: createPlainCommands(),
      timeMs,
      candidatesMax: 100_000,
      seed,
    })
    const context = createAgentContext({ workspace: folder })
    const beganMs = performance.now()
    const cpuBefore = await childrenCpuSeconds()
    const report = await agent.work({ prompt: 'Make the checks pass.' }, context)
    const seconds = (performance.now() - beganMs) / 1000
    const cpuSeconds = (await childrenCpuSeconds()) - cpuBefore
    const isDone = report.status.startsWith('done') && (await passes(subject, folder))
    const after = await readFile(file, 'utf8')
    return {
      subject,
      fault,
      outcome: !isDone ? 'not-found' : after === unplant(fault) ? 'identical' : 'other',
      candidates: Number(/(?:edit |, |None of )(\d+) (?:of|small)/.exec(report.text)?.[1] ?? 0),
      seconds,
      cpuSeconds,
      heldBackFailures: Number(
        /(\d+) earlier edits passed the visible/.exec(report.text)?.[1] ?? 0,
      ),
      text: report.text,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What children that have ended have used, and theirs. */
async function childrenCpuSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // In hundredths of a second, on every Linux there is.
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100
}
