/**
 * An agent that follows a script: for tests, demonstrations and a first run without a model. Its
 * calls take the same path as those of a model, and its report says that it was scripted.
 */

import {
  type AgentContext,
  type Amount,
  type Json,
  LoopError,
  toJson,
  zero,
} from '../loop/index.ts'
import { abortable } from './abortable.ts'
import type { Agent } from './agent.ts'
import type { ChatModel, ChatRequest, Message, Reply, Stop, ToolCall } from './conversation.ts'
import { runToolLoop } from './tool-loop.ts'

/** One list of turns for each iteration, the last of which repeats; or a function. */
export type Script = readonly (readonly ScriptedTurn[])[] | ScriptedPlay

/** A script as a function: returns the next turn. */
export type ScriptedPlay = (scene: Scene) => ScriptedTurn | Promise<ScriptedTurn>

/**
 * A turn without a call is the end, unless more turns follow: then its text is sent with the next
 * one.
 */
export interface ScriptedTurn {
  readonly say?: string
  readonly call?: string
  readonly args?: Json
  /** Several in one turn, after `call` if there is one. */
  readonly calls?: readonly { readonly call: string; readonly args?: Json }[]
  /** Reserved and spent like that of a model. Default: nothing. */
  readonly usage?: Partial<Amount>
  readonly stop?: Stop
}

/** What a scripted agent sees before each turn. */
export interface Scene {
  readonly iteration: number
  /** From 1 in each iteration. */
  readonly turn: number
  readonly prompt: string
  readonly messages: readonly Message[]
  readonly context: AgentContext
}

/** Options of `scriptedAgent`. */
export interface ScriptedAgentOptions {
  readonly turnsMax?: number
}

/** An agent that follows a script, for tests. */
export function scriptedAgent(script: Script, options: ScriptedAgentOptions = {}): Agent {
  const play = typeof script === 'function' ? script : undefined
  if (play === undefined && script.length === 0) {
    throw new LoopError('bad-request', 'A script needs at least one list of turns.')
  }
  return {
    async work(task, context) {
      const model =
        typeof script === 'function'
          ? createFunctionModel(script, task.prompt)
          : createListModel(script[Math.min(context.iteration, script.length) - 1] ?? [])
      const report = await runToolLoop({ chatModel: model, ...options }, task, context)
      return { ...report, text: `(scripted) ${report.text}` }
    },
  }
}

function createListModel(turns: readonly ScriptedTurn[]): ChatModel {
  let next = 0
  return {
    async answer(ask, context) {
      const said: string[] = []
      let turn: ScriptedTurn = {}
      do {
        turn = turns[next++] ?? { say: 'The script is over.' }
        if (turn.say !== undefined) said.push(turn.say)
      } while (isTextOnly(turn) && next < turns.length)
      return toReply({ ...turn, say: said.join('\n') }, ask, context)
    },
  }
}

const isTextOnly = (turn: ScriptedTurn): boolean =>
  turn.call === undefined &&
  turn.calls === undefined &&
  turn.stop === undefined &&
  turn.usage === undefined

function createFunctionModel(play: ScriptedPlay, prompt: string): ChatModel {
  return {
    async answer(ask, context) {
      const { messages, turn: number } = ask
      const scene = { iteration: context.iteration, turn: number, prompt, messages, context }
      const turn = await abortable(context.signal, async () => play(scene))
      return toReply(turn, ask, context)
    },
  }
}

async function toReply(
  turn: ScriptedTurn,
  ask: ChatRequest,
  context: AgentContext,
): Promise<Reply> {
  const usage = { ...zero, ...turn.usage }
  if (turn.usage !== undefined) await (await context.reserve(usage)).settle(usage)
  const first = turn.call === undefined ? [] : [{ call: turn.call, args: turn.args ?? {} }]
  const calls = [...first, ...(turn.calls ?? [])].map(
    ({ call, args }, index): ToolCall => ({
      id: `scripted-${ask.turn}-${index + 1}`,
      name: call,
      args: toJson(args ?? {}),
    }),
  )
  const stop = turn.stop ?? (calls.length > 0 ? 'calls' : 'end')
  return { text: turn.say ?? '', calls, stop, usage }
}
