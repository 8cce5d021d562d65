/**
 * The settings of an installation and of a project, from `loopwright.yaml`, the legacy `.loop/config`
 * and the environment. Each is known by its dotted name.
 * Pure, and without the schema library, because commands that must start fast read it too.
 */

import { defined, type Limits } from '../../loop/index.ts'
import type { QueuePolicy } from '../api/queue.ts'
import type { PolicyFiles } from '../loop-file/policy-schema.ts'

export type ArtifactMode = 'workspace' | 'global' | 'mirror'
/** `auto`: by the model if one is set, else with words. `file`: after the loop file. */
export type NameSource = 'auto' | 'model' | 'file' | 'words'

/** What one file, or the environment, sets. */
export interface Config {
  readonly model?: string
  readonly daemon?: Partial<Settings['daemon']>
  readonly artifacts?: Partial<Settings['artifacts']>
  readonly naming?: Partial<Settings['naming']>
  readonly limits?: Settings['limits']
  readonly worktree?: Settings['worktree']
  readonly checks?: Partial<Settings['checks']>
  readonly build?: Partial<Settings['build']>
  readonly skills?: Partial<Settings['skills']>
  readonly policy?: Settings['policy']
}

/** The effective settings, after merging every source. */
export interface Settings {
  /** For agents whose loop file does not name one. */
  readonly model?: string
  readonly daemon: {
    /** False: loops run in the loopctl process. */
    readonly use: boolean
    /** The address of the daemon. Absent: read from the file that it writes to the state folder. */
    readonly address?: string
    /** The address that loopd listens on. */
    readonly hostname: string
    /** Absent: 7700, or any free port if that is taken. */
    readonly port?: number
    readonly tlsCert?: string
    readonly tlsKey?: string
    readonly maxConcurrentRuns: number
    /** Absent: only `maxConcurrentRuns` limits it. Runs in the same folder always queue. */
    readonly maxRunsPerWorkspace?: number
    readonly queuePolicy: QueuePolicy
  }
  readonly artifacts: {
    readonly mode: ArtifactMode
    /** The folder for run folders in the workspace, relative to it. */
    readonly logDir: string
    /** The folder whose `runs` holds the others. Absent: the state folder. */
    readonly globalDir?: string
    readonly postmortem: boolean
    readonly summary: boolean
  }
  readonly naming: { readonly source: NameSource; readonly model?: string }
  /** Upper limits, whatever a loop file says. The command line may raise them. */
  readonly limits: Partial<
    Pick<Limits, 'iterations' | 'tokens' | 'inputTokens' | 'outputTokens' | 'costMicros' | 'timeMs'>
  > & {
    /** Of each iteration. */
    readonly iterationTimeMs?: number
    readonly iterationTokens?: number
    readonly iterationCostMicros?: number
    /** Of one turn of an agent. */
    readonly agentTimeMs?: number
  }
  /** Defaults; the loop file overrides them. */
  readonly worktree: {
    readonly base?: string
    readonly path?: string
    readonly branchPrefix?: string
    readonly provider?: 'auto' | 'git' | 'worktrunk'
    readonly worktrunkProgram?: string
    readonly worktrunkConfig?: string
    readonly copyIgnored?: boolean
  }
  /** Commands that must pass in addition to the checks of the loop file. */
  readonly checks: { readonly commands: readonly string[]; readonly timeoutMs?: number }
  readonly build: BuildSettings
  readonly skills: SkillSettings
  /** The policy files of all sources together, as absolute paths. */
  readonly policy: PolicyFiles
}

/** Defaults of build loops; the loop file overrides them. Absent: the default of the key in the loop file. */
export interface BuildSettings {
  /** Where specs are, relative to the repository: `loopctl run <name>` finds them there. */
  readonly specsDir: string
  /** Where plans are, relative to the repository. */
  readonly plansDir: string
  readonly review?: boolean
  readonly reviewModel?: string
  readonly reviewFailures?: number
  readonly verificationFailures?: number
  readonly completionMode?: 'trailing' | 'exact'
  /** The file with the prompt, an absolute path. */
  readonly promptFile?: string
  readonly contextFiles?: readonly string[]
  readonly retries?: number
  readonly retryDelayMs?: number
  readonly mergeTarget?: string
  readonly mergeStrategy?: MergeStrategy
  /** Removes the worktree when the work is merged. */
  readonly cleanUp?: boolean
  /** The command of experiment mode. */
  readonly measure?: string
}

export type MergeStrategy = 'squash' | 'merge' | 'none'

/** Instructions for kinds of tasks, which build loops put into prompts. */
export interface SkillSettings {
  readonly enabled: boolean
  /** Absent: the usual four. */
  readonly dirs?: readonly string[]
  /** A folder with skills that is searched first. */
  readonly builtInDir?: string
  /** A folder that gets a copy of them when a run is created. */
  readonly syncDir?: string
  readonly syncOnStart: boolean
  readonly maxImplementation?: number
  readonly maxReview?: number
  readonly references?: boolean
  readonly maxChars?: number
}

export const defaultSettings: Settings = {
  daemon: {
    use: true,
    hostname: '127.0.0.1',
    maxConcurrentRuns: 3,
    queuePolicy: 'fifo',
  },
  artifacts: { mode: 'mirror', logDir: 'logs/loop', postmortem: true, summary: true },
  naming: { source: 'auto' },
  limits: {},
  worktree: {},
  checks: { commands: [] },
  build: { specsDir: 'specs', plansDir: 'specs/planning' },
  skills: { enabled: false, syncOnStart: true },
  policy: {},
}

/** Values of `over` replace those of `under`. */
export const mergeConfig = (under: Config, over: Config): Config => ({
  ...under,
  ...over,
  daemon: { ...under.daemon, ...over.daemon },
  artifacts: { ...under.artifacts, ...over.artifacts },
  naming: { ...under.naming, ...over.naming },
  limits: { ...under.limits, ...over.limits },
  worktree: { ...under.worktree, ...over.worktree },
  checks: { ...under.checks, ...over.checks },
  build: { ...under.build, ...over.build },
  skills: { ...under.skills, ...over.skills },
  policy: addPolicyFiles(under.policy, over.policy),
})

export const withDefaults = ({ model, ...config }: Config): Settings => ({
  ...defined({ model }),
  daemon: { ...defaultSettings.daemon, ...config.daemon },
  artifacts: { ...defaultSettings.artifacts, ...config.artifacts },
  naming: { ...defaultSettings.naming, ...config.naming },
  limits: { ...config.limits },
  worktree: { ...config.worktree },
  checks: { ...defaultSettings.checks, ...config.checks },
  build: { ...defaultSettings.build, ...config.build },
  skills: { ...defaultSettings.skills, ...config.skills },
  policy: { ...config.policy },
})

/** Files are only added: no source can remove or relax those of another. */
export function addPolicyFiles(under: PolicyFiles = {}, over: PolicyFiles = {}): PolicyFiles {
  const enforce = [...new Set([...(under.enforce ?? []), ...(over.enforce ?? [])])]
  const monitor = [...new Set([...(under.monitor ?? []), ...(over.monitor ?? [])])]
  return {
    ...(enforce.length === 0 ? {} : { enforce }),
    ...(monitor.length === 0 ? {} : { monitor }),
  }
}
