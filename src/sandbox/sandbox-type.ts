/** What a sandbox is to those who use it: how strong it is, and where a command works. */

import type { ChildProcess } from 'node:child_process'
import type { Command, Commands } from '../engine/index.ts'

/**
 * `strong`: no network, no files but those it is given, limits, and nothing alive afterwards.
 * `basic`: walls around files and network, without a namespace of its own for processes.
 * `none`: no walls at all.
 */
export type Tier = 'strong' | 'basic' | 'none'

/** Which limits hold: for all that a command starts together, or for each of its processes. */
export type LimitKind = 'cgroup' | 'rlimit' | 'none'

export interface ProbeResult {
  readonly name: string
  /** What must be the case. */
  readonly expect: 'works' | 'blocked'
  /** `not-tried`: the program that it needs is not on this machine. */
  readonly found: 'works' | 'blocked' | 'not-tried'
}

/** What the self-test found. */
export interface SandboxReport {
  readonly tier: Tier
  /** Why it is this tier and no better one, in a sentence. */
  readonly reason: string
  /** What to do for a better one. */
  readonly fix?: string
  readonly limits: LimitKind
  readonly probes: readonly ProbeResult[]
  readonly durationMs: number
}

export interface SandboxLimits {
  /** Processes and threads at once. */
  readonly processes: number
  /** Of all processes together by cgroup, of each one by rlimit. */
  readonly memoryBytes: number
  /** Processors at once, by cgroup only. Absent: all. */
  readonly cpus?: number
  /** Of one process. */
  readonly cpuSeconds: number
  /** Of one file. */
  readonly fileBytes: number
  /** Of one process. */
  readonly openFiles: number
  /** Of both streams together, kept or not. */
  readonly outputBytes: number
  /** In each of the folders that are only in memory: the temporary one, the home and shared memory. */
  readonly tmpBytes: number
  /** What the files of the workspace that a command changes may take up. Looked at now and then. */
  readonly workspaceBytes: number
}

/** From a port on the loopback inside to a Unix socket outside. */
export interface Relay {
  readonly socket: string
  readonly port: number
}

/** Whole paths. */
export interface Mount {
  readonly from: string
  readonly to: string
}

/** Folders whose changes are kept in memory for the time of one command, and then discarded. */
export interface SandboxOverlay {
  /** An empty folder outside of all that is shown, to mount that memory on. */
  readonly folder: string
  /** Full paths, outside of the workspace and not inside each other. */
  readonly lower: readonly string[]
}

/** Where changes to the workspace go instead. Full paths, outside of all that is shown. */
export interface WorkspaceOverlay {
  /**
   * A folder on disk, in which `upper` holds what commands changed: what one command leaves there is there for
   * the next one. Commands with the same folder must not run at the same time.
   */
  readonly folder: string
}

/** How a command can write to dependencies that it must not change. */
export interface OverlayReport {
  /**
   * `overlay`: it writes to memory. `scratch`: they are mounted read-only, with a few folders that can be
   * written to. `copy`: nothing can be mounted.
   */
  readonly mode: 'overlay' | 'scratch' | 'copy'
  /** Why this and nothing better, in a sentence. */
  readonly reason: string
  /** What to do for a better one. */
  readonly fix?: string
}

/** What can be observed of the files of a workspace while a command runs. */
export interface ObservationReport {
  readonly reads: 'inotify' | 'none'
  /** `overlay`: with `workspaceOverlay`, all of them. */
  readonly writes: 'overlay' | 'none'
  /** Why this and nothing better, in a sentence. */
  readonly reason: string
  /** What to do for more. */
  readonly fix?: string
}

/** What a command may touch. Everything else is not there. */
export interface SandboxPlace {
  /** It can be changed, except its `.git`; with `workspaceOverlay` it seems so to the command. */
  readonly workspace: string
  /** Where the workspace is inside, when that is to be elsewhere; not everywhere possible. */
  readonly shownAs?: string
  readonly readOnly?: readonly string[]
  /** Strong tier only, and only where `Sandbox.overlay` says `overlay`. */
  readonly overlay?: SandboxOverlay
  /** Strong tier only, and only where `Sandbox.overlay` says `overlay`. Absent: the workspace is changed. */
  readonly workspaceOverlay?: WorkspaceOverlay
  /**
   * Folders that are shown elsewhere, over a folder of the workspace: read-only, unless an overlay has
   * them. Strong tier only.
   */
  readonly mounts?: readonly Mount[]
  /** Folders in those that can be written: empty for each command and gone after it. Strong walls only. */
  readonly scratch?: readonly string[]
  /**
   * Files, folders and Unix sockets shown read-only below `innerFolder`, after everything else. A command can
   * connect to a socket. Strong tier only.
   */
  readonly files?: readonly Mount[]
  /** Where programs are looked up, as a PATH: those of its folders that are shown. Default: ours. */
  readonly path?: string
  /** Folders of programs that come before all others. */
  readonly programs?: readonly string[]
  /** Files and folders inside the others that are empty for the command. */
  readonly hide?: readonly string[]
  /** Where models are asked. */
  readonly gateway?: Relay
  /** A proxy that lets some of the network through; HTTPS_PROXY names it inside. */
  readonly network?: Relay
  readonly env?: Readonly<Record<string, string>>
  readonly limits?: Partial<SandboxLimits>
}

/** A process that somebody else talks to. */
export interface SandboxedProcess {
  readonly child: ChildProcess
  /** Asks it to end; it may clean up. */
  stop(): void
  /** Resolves, when all that it started is dead, with those that would not die. */
  kill(): Promise<readonly number[]>
  /**
   * Resolves when nothing of it runs any more, until `resume`. What cannot be held is killed. Absent where
   * that cannot be had: without walls, and on macOS.
   */
  pause?(): Promise<void>
  resume?(): void
}

/** Runs commands and servers in isolation. Made by `openSandbox`. */
export interface Sandbox {
  readonly report: SandboxReport
  /** Tried once for each process, when it is asked for the first time. */
  overlay(): Promise<OverlayReport>
  /** For workspaces below this folder; default: the temporary one. Tried once for each folder and process. */
  observes(folder?: string): Promise<ObservationReport>
  commands(place: SandboxPlace): Commands
  /** For a program that lives longer than a command. Without a time limit: end it with `kill`. */
  start(
    place: SandboxPlace,
    command: Pick<Command, 'program' | 'args' | 'cwd' | 'env'>,
  ): SandboxedProcess
}

const mebibyte = 1024 ** 2

export const defaultLimits: SandboxLimits = {
  processes: 1024,
  memoryBytes: 4096 * mebibyte,
  cpuSeconds: 3600,
  fileBytes: 1024 * mebibyte,
  openFiles: 4096,
  outputBytes: 1024 * mebibyte,
  tmpBytes: 512 * mebibyte,
  workspaceBytes: 4096 * mebibyte,
}
