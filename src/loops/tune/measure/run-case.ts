/**
 * Runs one case with one version of the artifacts, and has its output judged. The workload and each judge have a copy of the
 * workspace of their own, which contains no other case and no sealed one.
 *
 *   command:run       the case ─▶ its output
 *   command:evaluate  the output, the expected one ─▶ a critique
 *   command:review    the same, if there is a second judge
 *   agent:reviewer    the output as text, if an agent reviews
 *
 * A case fails if the workload does: it ends with an error, takes too long or writes nothing. If a machine, a program or a
 * judge fails, nothing is known: the run is not scored, and counts neither as passed nor as failed.
 */

import { defined, type Iteration } from '../../../loop/index.ts'
import type {
  CommandFile,
  CommandOutput,
  CommandReport,
  CommandTask,
  Difference,
} from '../../../loop/step/command-task.ts'
import type { Manifest } from '../../../protocol/index.ts'
import { toEnvironment, toShellText } from '../placeholders.ts'
import { infrastructureProblem } from '../tune-state.ts'
import { argumentsOf } from '../workload/resolve-cases.ts'
import { type Case, inFolder, type Version, type Workload } from '../workload/workload.ts'
import { classifyFailure } from './classify.ts'
import { type Critique, mergeCritiques, parseCritique } from './critique.ts'
import type { FailureKind } from './failure-kind.ts'
import { type OpenSeal, requireUnsealed } from './holdout-seal.ts'
import { type Review, review, reviewedCharsMax } from './review.ts'

export interface CaseRun {
  readonly case: Case
  /** From 1: repeats of the same content are separate runs. */
  readonly repeat: number
}

export interface RunOptions {
  readonly version: Version
  /** Earlier results of the same content may count. Never for baselines and proofs. */
  readonly reuse: boolean
  /** Sealed cases run only with it. */
  readonly seal?: OpenSeal
}

export type CaseResult = {
  readonly id: string
  /** What was said about it, or why nothing is known. */
  readonly text: string
} & (
  | {
      readonly type: 'scored'
      readonly score: number
      readonly pass: boolean
      /** The workload failed, before anything was judged. */
      readonly failedAt?: 'runCommand' | 'outputPath'
      /** Of a case that does not pass. */
      readonly kind?: FailureKind
      /** The output. */
      readonly digest?: string
    }
  | { readonly type: 'unscored'; readonly at: JudgingCommand }
)

export type JudgingCommand =
  | 'runCommand'
  | 'outputPath'
  | 'evaluateCommand'
  | 'reviewCommand'
  | 'reviewer'

const judgeBytesMax = 256 * 1024
const runBytesMax = 4 * 1024
const shownChars = 1000

export async function runCase(
  it: Pick<Iteration, 'command' | 'agent' | 'step' | 'workspace'>,
  workload: Workload,
  { case: one, repeat }: CaseRun,
  options: RunOptions,
): Promise<CaseResult> {
  requireUnsealed(workload, one, options.seal)
  const { manifest } = workload
  const run = (written: string, files: CommandFiles, more: Partial<CommandTask>): CommandTask => ({
    ...commonTask(workload, one, options),
    command: requireShellText(written),
    files: {
      ...artifactFiles(workload, options.version),
      [one.path]: { from: one.path },
      ...files,
    },
    repeat,
    reuse: options.reuse && manifest.cacheStrategy === 'smart',
    ...more,
  })
  const { runMs, evaluateMs } = manifest.timeouts
  const ran = await it.command(
    'run',
    run(
      manifest.runCommand,
      {},
      {
        output: one.output,
        timeoutMs: runMs,
        streamBytesMax: runBytesMax,
        ...defined({
          expected: one.expected?.path,
          outputCharsMax: workload.review && reviewedCharsMax,
        }),
        ...(manifest.costPerCaseMicros === 0 ? {} : { costMicros: manifest.costPerCaseMicros }),
      },
    ),
  )
  const failure = failureOf(ran, one)
  if (failure !== undefined) return failure
  const { output } = ran
  if (output === undefined) {
    const missing = { score: 0, pass: false, text: `it wrote nothing to ${one.output}` }
    return { ...scored(one, missing), failedAt: 'outputPath', kind: 'real-error' }
  }
  const expected = one.expected && { [one.expected.path]: { from: one.expected.path } }
  const judged = { [one.output]: { blob: output.blob }, ...expected }
  const critiques: Critique[] = []
  for (const [name, key] of judges) {
    const written = manifest[key]
    if (written === undefined) continue
    const task = run(written, judged, { timeoutMs: evaluateMs, streamBytesMax: judgeBytesMax })
    const critique = readJudge(await it.command(name, task))
    if (typeof critique === 'string') return unscored(one, key, critique)
    critiques.push(critique)
  }
  const reviewed =
    workload.review === undefined
      ? undefined
      : await review(it, workload, {
          case: one,
          repeat,
          said: critiques,
          ...defined({ output: output.text }),
        })
  if (typeof reviewed === 'string') return unscored(one, 'reviewer', reviewed)
  if (reviewed?.kind === 'infrastructure') return unscored(one, 'reviewer', reviewed.text)
  return conclude(one, output, critiques, reviewed)
}

/** What all judges say together; without any, the output has to be the expected one. */
function conclude(
  one: Case,
  { blob, difference }: CommandOutput,
  critiques: readonly Critique[],
  reviewed: Review | undefined,
): CaseResult {
  const verdicts = [...critiques, ...(reviewed === undefined ? [] : [reviewed])]
  const isExpected = one.expected === undefined ? undefined : one.expected.digest === blob
  const hint =
    isExpected === false && difference !== undefined ? describeDifference(difference) : ''
  const alone = {
    score: isExpected === true ? 1 : 0,
    pass: isExpected === true,
    text: isExpected === true || hint !== '' ? '' : 'the output differs from the expected one',
  }
  const merged = verdicts.length === 0 ? alone : mergeCritiques(verdicts)
  if (merged.pass) return { ...scored(one, merged), digest: blob }
  const text = [merged.text, hint].filter((part) => part !== '').join('\n')
  const kind = classifyFailure({
    isOfWorkload: false,
    verdicts: verdicts.length === 0 ? [alone] : verdicts,
    ...defined({ isExpected, reviewed: reviewed?.kind }),
  })
  return { ...scored(one, { ...merged, text }), digest: blob, kind }
}

const describeDifference = ({ missing, added, expected }: Difference): string =>
  missing === 0 && added === 0
    ? 'The output has the lines of the expected one, in another order or with another end.'
    : `The output differs from the expected one: ${missing} of its ${expected} lines are missing, ${added} others are there.`

type CommandFiles = { readonly [path: string]: CommandFile }

const judges = [
  ['evaluate', 'evaluateCommand'],
  ['review', 'reviewCommand'],
] as const

/** What all commands of a case have in common. */
function commonTask(
  workload: Workload,
  one: Case,
  { version }: RunOptions,
): Omit<CommandTask, 'command'> {
  const { manifest, folder } = workload
  const { buildCommand, concurrency, timeouts } = manifest
  return {
    cwd: folder,
    env: toEnvironment(argumentsOf(folder, one)),
    without: sealedPaths(workload),
    ...defined({ concurrency, usesModels: workload.usesModels }),
    ...(buildCommand === undefined
      ? {}
      : {
          shared: artifactFiles(workload, version),
          prepare: { command: buildCommand, timeoutMs: timeouts.buildMs },
        }),
  }
}

const artifactFiles = ({ folder }: Workload, { artifacts }: Version): CommandFiles =>
  Object.fromEntries(
    Object.entries(artifacts).map(([path, text]) => [inFolder(folder, path), { text }]),
  )

const sealed = new WeakMap<readonly Case[], readonly string[]>()

/** No copy has them, unless a command is given its own. */
function sealedPaths({ cases }: Workload): readonly string[] {
  const known = sealed.get(cases)
  if (known !== undefined) return known
  const paths = cases.flatMap(({ path, output, expected }) => [
    path,
    output,
    ...(expected === undefined ? [] : [expected.path]),
  ])
  const unique = [...new Set(paths)]
  sealed.set(cases, unique)
  return unique
}

function failureOf(ran: CommandReport, one: Case): CaseResult | undefined {
  const problem = infrastructureProblem(ran)
  if (problem !== undefined) return unscored(one, 'runCommand', problem)
  const { ended, exitCode, problem: limit } = ran
  const text =
    ended === 'timeout' || ended === 'signal' || limit !== undefined
      ? (limit ?? ended)
      : exitCode === 0
        ? undefined
        : `it ended with exit code ${exitCode}`
  if (text === undefined) return undefined
  const end = ran.stderr.trim().slice(-shownChars)
  const shown = `${text}${end === '' ? '' : `\n${end}`}`
  const failed = { score: 0, pass: false, text: shown }
  return { ...scored(one, failed), failedAt: 'runCommand', kind: 'real-error' }
}

/** A text: why there is no critique. */
function readJudge(report: CommandReport): Critique | string {
  const problem = infrastructureProblem(report)
  if (problem !== undefined) return problem
  const { ended, exitCode, stdout, stderr } = report
  if (ended !== 'exited') return report.problem ?? ended
  const parsed = parseCritique(stdout)
  if (parsed.type === 'critique') return parsed.critique
  const end = stderr.trim().slice(-shownChars)
  return `${parsed.reason} (exit code ${exitCode})${end === '' ? '' : `\n${end}`}`
}

const scored = (
  { id }: Case,
  { score, pass, text }: Critique,
): Extract<CaseResult, { type: 'scored' }> => ({
  id,
  type: 'scored',
  score,
  pass,
  text,
})

const unscored = ({ id }: Case, at: JudgingCommand, text: string): CaseResult => ({
  id,
  type: 'unscored',
  at,
  text,
})

/** Checked when the manifest was read. */
function requireShellText(written: string): string {
  const made = toShellText(written)
  if (made.type === 'text') return made.text
  throw new Error(made.reason)
}

/** Why a command of the manifest cannot be used. */
export function findCommandProblems(manifest: Manifest): readonly string[] {
  return (['runCommand', 'evaluateCommand', 'reviewCommand', 'buildCommand'] as const).flatMap(
    (key) => {
      const made = toShellText(manifest[key] ?? '')
      if (made.type === 'refused') return [`${key}: ${made.reason}`]
      if (key === 'buildCommand' && made.names.length > 0) {
        return [`${key}: it runs once for all cases, so it cannot use {${made.names[0]}}`]
      }
      if (key === 'runCommand' && made.names.includes('expected')) {
        return [`${key}: the workload must not see the expected output; remove {expected}`]
      }
      return []
    },
  )
}
