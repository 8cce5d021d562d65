/**
 * What has to be known of an agent program to drive it: how it is started without a person, and what its
 * lines mean. One file for each program, data and pure functions only; `program-agent.ts` does the rest.
 *
 * 1. Nothing of the repository configures it: the flags and settings here see to that, and the sandbox
 *    holds where they do not.
 * 2. Its lines are hostile. A reader never throws, keeps little, and takes nothing for a success that is
 *    not said in so many words.
 */

import type { AgentEnd, Json, ProgramName } from '../../loop/index.ts'
import type { Permissions } from '../acp/permissions.ts'

export type ModelProvider = 'anthropic' | 'openai' | 'google'

export interface AgentProgram {
  readonly name: ProgramName
  /** Where it comes from, and the version that all of this was tried with. */
  readonly package: { readonly name: string; readonly version: string }
  /** The one whose models it asks for unless told. */
  readonly provider: ModelProvider
  /** Others that it can ask. A model of theirs is given as `provider/model`. */
  readonly otherProviders?: readonly ModelProvider[]
  /** The model that it is given when the loop file names none. */
  readonly model: string
  readonly capabilities: Capabilities
  /**
   * Files and folders of the workspace that it would take orders from, whatever its flags say. The sandbox
   * shows them empty; relative to the workspace, which is where it is started.
   */
  readonly hides: readonly string[]
  /** It does not say that the last answer of its model was cut short or refused; the gateway knows. */
  readonly hidesCuts?: true
  /** How it speaks ACP, if it does: another package, or arguments of its own. */
  readonly acp?: {
    readonly command: string
    readonly args: readonly string[]
    readonly package: { readonly name: string; readonly version: string }
    /** What it needs besides that which leads it to its model when it is started headless. */
    launch(
      headless: Launch,
      options: Pick<LaunchOptions, 'model'>,
      permissions: Permissions,
    ): Partial<AcpLaunch>
  }
  /** How it is started for one task. */
  launch(options: LaunchOptions): Launch
  /**
   * How it is started with a login of its own, outside the sandbox: it may edit files without asking, and nothing
   * else. Absent: flags alone do not keep it from taking orders from the repository. `model`: the flags that
   * choose one, if one is chosen.
   */
  launchWithOwnLogin?(options: LaunchOptions, model: readonly string[]): Launch
  /** For the lines of one start. */
  reader(): LineReader
}

export interface Capabilities {
  /** Through the gateway, so that spending is known and limited before it happens. */
  readonly usage: 'gateway'
  /** What it can be told at its start. */
  readonly limits: readonly ('turns' | 'cost')[]
  /** A session can be gone on with. Loops do not: each iteration has a fresh context. */
  readonly resumes: boolean
  /** It says what it does while it does it. */
  readonly streams: boolean
  /** It can be given MCP servers at its start. */
  readonly mcp: boolean
}

export interface LaunchOptions {
  readonly prompt: string
  /** As the provider calls it; of another provider than its usual one, `provider/model`. */
  readonly model: string
  /** Where its models are: an address of the gateway, without a path. */
  readonly url: string
  /** For that address, and of no use elsewhere. */
  readonly token: string
  /** An empty folder that it may fill, gone afterwards, as it sees it. */
  readonly home: string
  /** What the settings files below become, as it sees them: `<settings>/<name>`. Read-only. */
  readonly settings: string
  readonly turnsMax?: number
  /** Further arguments of the loop file's author, who is trusted. */
  readonly args: readonly string[]
}

export interface Launch {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Files by name that it is shown in its folder of settings; the same for every prompt. */
  readonly settings?: Readonly<Record<string, string>>
  /** Its standard input; closed at once where there is none. */
  readonly input?: string
}

/** How it is started for ACP. `args` come behind those that it always has for ACP. */
export interface AcpLaunch extends Pick<Launch, 'args' | 'env' | 'settings'> {
  /** The session mode that it is put into. */
  readonly mode?: string
  readonly sessionMeta?: { readonly [key: string]: Json }
  /** The title of the session. */
  readonly title?: string
}

/** What a line told. Texts are as it printed them; whoever shows them makes them safe. */
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
  /** A model answered once. */
  | { readonly type: 'turn-ended' }
  /** It tries again by itself. */
  | { readonly type: 'retrying'; readonly message: string }
  | { readonly type: 'warned'; readonly message: string }
  /** The end of its work, in its own words. The last one counts. */
  | {
      readonly type: 'ended'
      readonly end: AgentEnd
      readonly text: string
      readonly turns?: number
    }

export interface LineReader {
  /** One line of its standard output, without its end. Nothing comes of one that it does not know. */
  read(line: string): readonly ProgramEvent[]
  /**
   * What is to be made of its end. `claimed` only if its lines said so, its exit code agrees, and nothing
   * that it was refused is left out.
   */
  conclude(exit: ProgramExit): Conclusion
}

export interface ProgramExit {
  readonly exitCode: number | undefined
  /** The end of what it printed there, after the lines on its standard output that were no events. */
  readonly stderr: string
}

export interface Conclusion {
  readonly end: AgentEnd
  /** Its last words, or why it failed. */
  readonly text: string
  readonly turns: number
}
