/**
 * What a tool call of an agent costs besides the tool: its part of the conversation, the way through
 * engine and registry, the record of it. It is the difference between turns with twenty calls and turns
 * with one, so that what a turn costs anyway is not in it; that is a figure of its own, with the
 * budget durably reserved before the model is asked. The model and the tool answer at once.
 *
 * Beside it, in the same run and in turn, the AI SDK's own loop with the same model and the same tool.
 * It records nothing, so our loop is measured without an engine too, for a fair ratio.
 */

import { generateText, stepCountIs, tool } from 'ai'
import { type Agent, type LoopType, openHost, type Tools } from 'loopwright'
import { createAgents, modelAgent } from 'loopwright/agents'
import { createAgentContext } from 'loopwright/testing'
import { createTools, defineTool } from 'loopwright/tools'
import { z } from 'zod'
import { atMost, median, type Suite } from './report.ts'
import { type Cost, costOf, noLimits, withFolder } from './workload.ts'

/** Near the 50 turns that an agent has by default. */
const turns = 40
const manyCalls = 20
const tasks = 8
const rounds = 7
const toolName = 'add'
const description = 'Adds two numbers.'
const parameters = z.object({ a: z.number(), b: z.number() })

/** Runs so many tasks whose turns make so many calls each. */
type Contender = (tasks: number, calls: number) => Promise<Cost>

const contenders = { whole: wholeCost, loop: loopCost, sdk: sdkCost }

/** For one round, in milliseconds: what a turn with one call costs, and what each further call adds. */
interface Figures {
  readonly turn: number
  readonly call: number
}

export const toolCall: Suite = {
  area: 'agents',
  title: "a tool call beside the AI SDK's own loop",
  async run({ scale }) {
    const count = Math.max(2, Math.round(tasks * scale))
    const all: Record<keyof typeof contenders, Figures>[] = []
    for (let round = -1; round < rounds; round++) {
      const whole = await figuresOf(contenders.whole, count)
      const loop = await figuresOf(contenders.loop, count)
      const sdk = await figuresOf(contenders.sdk, count)
      // The first round warms all of them up.
      if (round >= 0) all.push({ whole, loop, sdk })
    }
    const middle = (name: keyof typeof contenders, part: keyof Figures): number =>
      median(all.map((round) => round[name][part]))
    const beside = (name: keyof typeof contenders, part: keyof Figures): string =>
      `${name} ${middle(name, part).toFixed(3)} ms`
    const calls = `without a record: ${beside('loop', 'call')}, ${beside('sdk', 'call')}`
    const whole = `without a record: ${beside('loop', 'turn')}, ${beside('sdk', 'turn')}`
    const ratio = median(all.map(({ loop, sdk }) => loop.turn / sdk.turn))
    return [
      atMost('agents.tool-call-overhead', middle('whole', 'call'), 0.5, 'ms', calls),
      atMost('agents.turn-overhead', middle('whole', 'turn'), 1.5, 'ms', whole),
      atMost('agents.turn-beside-sdk', ratio, 1, 'x', 'loop and registry, without a record'),
    ]
  },
}

async function figuresOf(contender: Contender, count: number): Promise<Figures> {
  const one = (await contender(count, 1)).cpuMs / (count * turns)
  const many = (await contender(count, manyCalls)).cpuMs / (count * turns)
  return { turn: one, call: (many - one) / (manyCalls - 1) }
}

type SdkModel = Parameters<typeof modelAgent>[0]['model']

/** Calls the tool in every turn but the last, each time with other arguments. */
function instantModel(calls: number): SdkModel {
  let turn = 0
  const usage = {
    inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  }
  return {
    specificationVersion: 'v3',
    provider: 'instant',
    modelId: 'instant',
    supportedUrls: {},
    async doGenerate() {
      turn++
      if (turn > turns) {
        const finishReason = { unified: 'stop', raw: 'stop' } as const
        return { content: [{ type: 'text', text: 'Done.' }], finishReason, usage, warnings: [] }
      }
      const content = Array.from({ length: calls }, (_, index) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${turn}-${index}`,
        toolName,
        input: JSON.stringify({ a: turn, b: index }),
      }))
      const finishReason = { unified: 'tool-calls', raw: 'tool_calls' } as const
      return { content, finishReason, usage, warnings: [] }
    },
    doStream: () => Promise.reject(new Error('it does not stream')),
  }
}

const prompt = 'Add the numbers, one after the other, until you are told that it is enough.'
let called = 0
const addNumbers = ({ a, b }: z.output<typeof parameters>): string => {
  called++
  return String(a + b)
}

function agentLoop(): LoopType<null, null, null, null> {
  return {
    name: 'bench-agent',
    createContext: () => null,
    async iterate(_context, it) {
      await it.agent('maker', { prompt })
      return null
    },
    extractProgress: () => null,
    until: [{ type: 'max-iterations', iterations: 1 }],
  }
}

const makeTools = (): Tools => {
  const risk = 'read-only'
  const add = defineTool({ name: toolName, description, parameters, risk, run: addNumbers })
  return createTools({ tools: [add] })
}

const makeAgent = (calls: number): Agent =>
  modelAgent({ model: instantModel(calls), stream: false })

async function wholeCost(count: number, calls: number): Promise<Cost> {
  return withFolder(async (folder) => {
    const host = await openHost({ folder, synchronous: 'FULL' })
    const tools = makeTools()
    called = 0
    const cost = await costOf(async () => {
      for (let task = 0; task < count; task++) {
        const agents = createAgents({ maker: makeAgent(calls) })
        const run = await host.start(agentLoop(), { input: null, limits: noLimits, agents, tools })
        await run.done
      }
    })
    requireCalls(count * turns * calls)
    await host.close()
    return cost
  })
}

async function loopCost(count: number, calls: number): Promise<Cost> {
  const tools = makeTools()
  called = 0
  const cost = await costOf(async () => {
    for (let task = 0; task < count; task++) {
      const context = createAgentContext()
      await makeAgent(calls).work(
        { prompt },
        {
          ...context,
          tools: async () => (await tools.list?.()) ?? [],
          callTool: (name, args) => tools.call(name, args, context),
        },
      )
    }
  })
  requireCalls(count * turns * calls)
  return cost
}

async function sdkCost(count: number, calls: number): Promise<Cost> {
  const add = tool({ description, inputSchema: parameters, execute: addNumbers })
  called = 0
  const cost = await costOf(async () => {
    for (let task = 0; task < count; task++) {
      await generateText({
        model: instantModel(calls),
        tools: { [toolName]: add },
        stopWhen: stepCountIs(turns + 1),
        prompt,
      })
    }
  })
  requireCalls(count * turns * calls)
  return cost
}

/** A figure for work that was not done would be a good one. */
function requireCalls(expected: number): void {
  if (called !== expected) throw new Error(`The tool was called ${called} times, not ${expected}.`)
}
