/**
 * Certifies files without a run: a commit of a repository, or the current files of a folder, with the checks
 * of a loop file or of the command line. Uses the same certifier as runs, so it is just as strict.
 */

import { basename } from 'node:path'
import { uuidv7 } from 'uuidv7'
import type { Subject } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import {
  defaultLimits,
  defined,
  LoopError,
  type Refusal,
  type RunId,
  zero,
} from '../../loop/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { createJudgeBudget } from '../calibrate/money.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import { openApprovedItems } from '../dependencies/dependency-approvals.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { type OpenedLoop, openLoop } from '../open-loop.ts'
import { createCertifyContext } from './certify-context.ts'
import { type AnswerOptions, certifyWithAnswers } from './certify-with-answers.ts'
import { type ChosenFiles, chooseFiles } from './choose-files.ts'
import { createHostCertifier } from './create-certifier.ts'
import { createPhaseClock, type PhaseClock, type PhaseTimes } from './phase-times.ts'

export interface CertifyFolderOptions extends AnswerOptions {
  /** The base: a branch, a tag or a commit. Absent: there is none. */
  readonly base?: string
  /** Certify the current files instead of the commit. */
  readonly dirty?: boolean
  readonly attended?: boolean
  readonly signal?: AbortSignal
  readonly onProblem?: (problem: string) => void
  /** Where dependencies come from; default: the setting of the loop file. */
  readonly dependencies?: CertifySettings['dependencies']
  /** Ids of dependency items to approve, exactly as a refusal prints them. */
  readonly approve?: readonly string[]
  /** Called whenever a check starts. */
  readonly onCheck?: (name: string) => void
}

export type CertifiedFolder = ChosenTree &
  (
    | { readonly certified: true; readonly certificate: string }
    | { readonly certified: false; readonly refusals: readonly Refusal[] }
  )

interface ChosenTree {
  readonly folder: string
  readonly tree: string
  readonly commit?: string
  readonly checks: readonly string[]
  readonly tookMs: PhaseTimes
}

const spendingMax = 5_000_000

export async function certifyFolder(
  host: LaunchHost,
  loaded: LoadedLoop,
  options: CertifyFolderOptions = {},
): Promise<CertifiedFolder> {
  const { signal = new AbortController().signal, attended } = options
  const clock = createPhaseClock()
  const chosen = await chooseFiles(host, loaded, options)
  await openApprovedItems(host.folder).approve(options.approve ?? [], options.who ?? 'person')
  const opened = await clock.during('sandbox', () =>
    openLoop(loaded, {
      folder: host.folder,
      workspace: chosen.folder,
      ...defined({ inner: chosen.inner }),
      models: host.models,
      signal,
      baseFiles: () => ({ reader: chosen.reader, tree: chosen.base ?? chosen.tree }),
      ...defined({ attended, types: host.loopTypes }),
    }),
  )
  try {
    return await certifyOpened(host, opened, { loaded, chosen, signal, clock }, options)
  } finally {
    await opened.close()
  }
}

interface Certified {
  readonly loaded: LoadedLoop
  readonly chosen: ChosenFiles
  readonly signal: AbortSignal
  readonly clock: PhaseClock
}

async function certifyOpened(
  host: LaunchHost,
  { parts, problems }: OpenedLoop,
  { loaded, chosen, signal, clock }: Certified,
  options: CertifyFolderOptions,
): Promise<CertifiedFolder> {
  for (const problem of problems) options.onProblem?.(problem)
  const { certifying } = parts
  const checks = Object.keys(parts.checks ?? {})
  if (certifying === undefined || checks.length === 0) throw createNoChecksError(loaded)
  const { source } = loaded
  const place = {
    workspace: chosen.folder,
    checkout: undefined,
    worktree: undefined,
    placed: chosen.repository && { repository: chosen.repository },
    exclude: chosen.exclude,
  }
  const certifier = await createHostCertifier(
    { ...host, clock: { now: () => Date.now() }, phaseClock: clock },
    place,
    withCheckReports(withDependencies(certifying, options), options.onCheck),
    {
      what: { type: 'tree', name: basename(chosen.folder), source },
      ...(chosen.baseCommit === undefined
        ? { hasNoBase: true }
        : { baseCommit: chosen.baseCommit }),
    },
  )
  const context = createCertifyContext(parts, createJudgeBudget(spendingMax), signal)
  const subject = toSubject(chosen, loaded, checks)
  const found = await certifyWithAnswers(options, (answers) =>
    certifier.certify({ ...subject, answers }, context),
  )
  const { folder, tree, commit } = chosen
  const named = { folder, tree, checks, tookMs: clock.times(), ...defined({ commit }) }
  return found.type === 'certified'
    ? { ...named, certified: true, certificate: found.certificate }
    : { ...named, certified: false, refusals: found.refusals }
}

/** Adds a report of each check that starts. */
function withCheckReports(
  certifying: CertifyingParts,
  onCheck: CertifyFolderOptions['onCheck'],
): CertifyingParts {
  if (onCheck === undefined) return certifying
  return {
    ...certifying,
    async open(place) {
      const opened = await certifying.open(place)
      const checks = opened.checks.map((check): OpenCheck => {
        const { name, run, observe } = check
        return {
          ...check,
          run: (context) => {
            onCheck(name)
            return run(context)
          },
          ...(observe === undefined
            ? {}
            : {
                observe: (context, how) => {
                  onCheck(name)
                  return observe(context, how)
                },
              }),
        }
      })
      return { ...opened, checks }
    },
  }
}

const withDependencies = (
  certifying: CertifyingParts,
  { dependencies = certifying.certify.dependencies }: CertifyFolderOptions,
): CertifyingParts => ({ ...certifying, certify: { ...certifying.certify, dependencies } })

function toSubject(
  { tree, base, commit }: ChosenFiles,
  { name, source }: LoadedLoop,
  checks: readonly string[],
): Subject {
  return {
    run: uuidv7() as RunId,
    name,
    loop: name,
    codeDigest: source.digest,
    source,
    iteration: 0,
    condition: 'checks-pass',
    checks,
    evidence: {},
    tree,
    base: base ?? tree,
    spent: zero,
    limits: defaultLimits,
    activeMs: 0,
    answers: [],
    ...defined({ commit }),
  }
}

function createNoChecksError({ name }: LoadedLoop): LoopError {
  const message = `Cannot certify the loop ${name}: it has no checks. Add one, such as checks: { test: npm test }.`
  return new LoopError('bad-loop-file', message)
}
