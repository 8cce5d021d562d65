/**
 * What it takes to drive an agent program: how it is started without a person, and what its output
 * means. One file for each program, data and pure functions only; `program-agent.ts` does the rest.
 *
 * 1. Nothing in the repository configures it: the flags and settings here ensure that, and the
 *   sandbox where they cannot.
 * 2. Its output is untrusted. A reader never throws, keeps little, and reports success only if the
 *   output says so.
 */

import type { AgentEnd, Json, ProgramName, TodoItem } from '../../loop/index.ts'
import type { Permissions } from '../acp/permissions.ts'

export type ModelProvider = 'anthropic' | 'openai' | 'google'

/** How an agent program is started, and how its output is read. */
export interface AgentProgram {
  readonly name: ProgramName
  /** Where it comes from, and the version that all of this was tested with. */
  readonly package: { readonly name: string; readonly version: string }
  /** The provider of its default model. */
  readonly provider: ModelProvider
  /** Other supported providers. Their models are given as `provider/model`. */
  readonly otherProviders?: readonly ModelProvider[]
  /** The model to use if the loop file names none. */
  readonly model: string
  readonly capabilities: Capabilities
  /**
   * Workspace files and folders that would configure it, whatever its flags say. The sandbox shows
   * them empty; relative to the workspace, where it is started.
   */
  readonly hides: readonly string[]
  /**
   * It does not report that the last response of its model was cut short or refused; the gateway
   * knows.
   */
  readonly hidesCuts?: true
  /** How it speaks ACP, if it does: through another package, or with extra arguments. */
  readonly acp?: {
    readonly command: string
    readonly args: readonly string[]
    readonly package: { readonly name: string; readonly version: string }
    /** Options for ACP, in addition to those of `launch`. */
    launch(
      headless: Launch,
      options: Pick<LaunchOptions, 'model'>,
      permissions: Permissions,
    ): Partial<AcpLaunch>
  }
  /** How it is started for one task. */
  launch(options: LaunchOptions): Launch
  /**
   * Starts it with the person's own login, outside the sandbox: it may edit files without asking, and
   * nothing else. Absent: flags alone do not keep the repository from configuring it. `model`: the flags
   * that choose one, if one is chosen.
   */
  launchWithOwnLogin?(options: LaunchOptions, model: readonly string[]): Launch
  /** Reads the output of one start. */
  reader(): LineReader
}

export interface Capabilities {
  /** Through the gateway, so that spending is known and limited before it happens. */
  readonly usage: 'gateway'
  /** The limits that it accepts at start. */
  readonly limits: readonly ('turns' | 'cost')[]
  /** A session can be resumed. Loops do not: each iteration has a fresh context. */
  readonly resumes: boolean
  /** It reports what it does while it works. */
  readonly streams: boolean
  /** It accepts MCP servers at start. */
  readonly mcp: boolean
}

export interface LaunchOptions {
  readonly prompt: string
  /** The provider's model name; `provider/model` if it is not the default provider. */
  readonly model: string
  /** Where its models are: an address of the gateway, without a path. */
  readonly url: string
  /** For that address, and useless elsewhere. */
  readonly token: string
  /** An empty temporary folder that it may fill, as the program sees it. */
  readonly home: string
  /**
   * The folder of the settings files below, as the program sees it: `<settings>/<name>`. Read-only.
   */
  readonly settings: string
  readonly turnsMax?: number
  /** Further arguments by the author of the loop file, who is trusted. */
  readonly args: readonly string[]
}

export interface Launch {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Files by name in its settings folder; the same for every prompt. */
  readonly settings?: Readonly<Record<string, string>>
  /** Its standard input; closed at once if absent. */
  readonly input?: string
}

/** How it is started for ACP. `args` follow those that it always needs for ACP. */
export interface AcpLaunch extends Pick<Launch, 'args' | 'env' | 'settings'> {
  /** The session mode to set. */
  readonly mode?: string
  readonly sessionMeta?: { readonly [key: string]: Json }
  /** The title of the session. */
  readonly title?: string
}

/** What a line reports. Texts are as printed; they must be made safe before they are shown. */
export type ProgramEvent =
  | { readonly type: 'session'; readonly id: string; readonly model?: string }
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'tool-called'; readonly tool: string; readonly args: string }
  | {
      readonly type: 'tool-ended'
      readonly tool: string
      readonly ok: boolean
      readonly text?: string
    }
  /** Its todo list as it is now. */
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] }
  /** One model response ended. */
  | { readonly type: 'turn-ended' }
  /** It retries by itself. */
  | { readonly type: 'retrying'; readonly message: string }
  | { readonly type: 'warned'; readonly message: string }
  /** The end of its work, as it reports it. The last one counts. */
  | {
      readonly type: 'ended'
      readonly end: AgentEnd
      readonly text: string
      readonly turns?: number
    }

/** Reads what an agent program prints, line by line. */
export interface LineReader {
  /** Reads one line of standard output, without the line break. Unknown lines yield nothing. */
  read(line: string): readonly ProgramEvent[]
  /**
   * Judges how it ended. `claimed` only if its output says so, its exit code agrees, and no refusal
   * is left open.
   */
  conclude(exit: ProgramExit): Conclusion
}

export interface ProgramExit {
  readonly exitCode: number | undefined
  /** The end of its stderr, after the lines of its stdout that were not events. */
  readonly stderr: string
}

export interface Conclusion {
  readonly end: AgentEnd
  /** Its final message, or why it failed. */
  readonly text: string
  readonly turns: number
}
