/**
 * The settings of an installation and of a project: what `loopwright.yaml`, document 002's
 * `.loop/config` and the environment can say. One table of them; each is known by its name with a dot.
 * Pure, and without the schema library: commands that must be quick read it too.
 */

import { defined, type Limits } from '../loop/index.ts'
import type { QueuePolicy } from './api/queue.ts'

export type ArtifactMode = 'workspace' | 'global' | 'mirror'
/** `auto`: by the model where one is set, else made of words. `file`: after the loop file. */
export type NameSource = 'auto' | 'model' | 'file' | 'words'

/** What a file or the environment says: any part of it. */
export interface Config {
  readonly model?: string
  readonly daemon?: Partial<Settings['daemon']>
  readonly artifacts?: Partial<Settings['artifacts']>
  readonly naming?: Partial<Settings['naming']>
  readonly limits?: Settings['limits']
  readonly worktree?: Settings['worktree']
  readonly checks?: Partial<Settings['checks']>
}

/** What holds, after all of it was put together. */
export interface Settings {
  /** For agents whose loop file names none. */
  readonly model?: string
  readonly daemon: {
    /** False: loops run in the process of loopctl. */
    readonly use: boolean
    /** Where loopctl finds the daemon; absent: by the file that it keeps in the state folder. */
    readonly address?: string
    /** Where loopd listens. */
    readonly hostname: string
    /** Absent: 7700, or any that is free where something else has that. */
    readonly port?: number
    readonly tlsCert?: string
    readonly tlsKey?: string
    readonly maxConcurrentRuns: number
    /** Absent: no limit besides `maxConcurrentRuns`. Runs in the same folder itself always take turns. */
    readonly maxRunsPerWorkspace?: number
    readonly queuePolicy: QueuePolicy
  }
  readonly artifacts: {
    readonly mode: ArtifactMode
    /** Run folders in the workspace are made in it; relative to the workspace. */
    readonly logDir: string
    /** The others are in `runs` below it; absent: the state folder. */
    readonly globalDir?: string
    readonly postmortem: boolean
  }
  readonly naming: { readonly source: NameSource; readonly model?: string }
  /** At most this, whatever a loop file says. The command line may say more. */
  readonly limits: Partial<Pick<Limits, 'iterations' | 'tokens' | 'costMicros' | 'timeMs'>>
  /** Where the loop file says nothing. */
  readonly worktree: {
    readonly base?: string
    readonly path?: string
    readonly branchPrefix?: string
    readonly provider?: 'auto' | 'git' | 'worktrunk'
    readonly worktrunkProgram?: string
    readonly worktrunkConfig?: string
    readonly copyIgnored?: boolean
  }
  /** Commands that must pass besides the checks of the loop file. */
  readonly checks: { readonly commands: readonly string[]; readonly timeoutMs?: number }
}

export const defaultSettings: Settings = {
  daemon: {
    use: true,
    hostname: '127.0.0.1',
    maxConcurrentRuns: 3,
    queuePolicy: 'fifo',
  },
  artifacts: { mode: 'mirror', logDir: 'logs/loop', postmortem: true },
  naming: { source: 'auto' },
  limits: {},
  worktree: {},
  checks: { commands: [] },
}

/** The values of `over` in place of those of `under`. */
export const mergeConfig = (under: Config, over: Config): Config => ({
  ...under,
  ...over,
  daemon: { ...under.daemon, ...over.daemon },
  artifacts: { ...under.artifacts, ...over.artifacts },
  naming: { ...under.naming, ...over.naming },
  limits: { ...under.limits, ...over.limits },
  worktree: { ...under.worktree, ...over.worktree },
  checks: { ...under.checks, ...over.checks },
})

export const withDefaults = ({ model, ...config }: Config): Settings => ({
  ...defined({ model }),
  daemon: { ...defaultSettings.daemon, ...config.daemon },
  artifacts: { ...defaultSettings.artifacts, ...config.artifacts },
  naming: { ...defaultSettings.naming, ...config.naming },
  limits: { ...config.limits },
  worktree: { ...config.worktree },
  checks: { ...defaultSettings.checks, ...config.checks },
})
