/**
 * A round of a chore in code, with agents, tools, gate, executor and memory of your own. The sandbox is that of the commands
 * which the tools run: here none, in a program `(await openSandbox()).commands({ workspace })`.
 */

import { type Actions, callbackGate, createPlainCommands, type Host } from 'loopwright'
import { createAgents, scriptedAgent } from 'loopwright/agents'
import { type LoopMemory, type RoundReport, readRoundReport, roundLoop } from 'loopwright/rounds'
import { builtInTools, createTools } from 'loopwright/tools'

/** Remembers in this process. A failing memory would only be a warning of the report. */
export function inMemory(facts: string[] = []): LoopMemory {
  return {
    recall: async ({ limit }) => ({
      memories: facts
        .slice(-limit)
        .map((text, index) => ({ id: String(index), text, source: 'loop:greeter', atMs: 0 })),
    }),
    async record({ text }) {
      facts.push(text)
      return {}
    },
  }
}

const maker = scriptedAgent(() => ({ say: 'The greeting is polite already.' }))

/** It has to repeat the token of its prompt, which the maker cannot know. */
const checker = scriptedAgent(({ prompt }) => {
  const [, token = ''] = /"token": "([0-9a-f]+)"/.exec(prompt) ?? []
  const verdict = JSON.stringify({ token, verdict: 'pass', reasons: [] })
  return { say: `The greeting is polite.\n\`\`\`json\n${verdict}\n\`\`\`` }
})

const printer: Actions = {
  perform: async ({ summary }) => ({ status: 'done', summary: `printed: ${summary}` }),
  find: async () => ({ type: 'not-done' }),
}

const loop = (memory: LoopMemory) =>
  roundLoop({
    name: 'greeter',
    intent: 'Keep the greeting polite.',
    level: 3,
    propose: { kind: 'print' },
    tools: { maker: ['read', 'edit'], checker: ['read', 'grep'] },
    ports: { memory },
  })

export async function playRound(
  host: Host,
  workspace: string,
  memory: LoopMemory = inMemory(),
): Promise<RoundReport | undefined> {
  const run = await host.start(loop(memory), {
    input: {},
    workspace,
    level: 3,
    agents: createAgents({ maker, checker }),
    tools: createTools({ tools: builtInTools({ commands: createPlainCommands() }) }),
    gate: callbackGate(({ kind }, { verified }) =>
      kind === 'print' && verified
        ? { type: 'allow' }
        : { type: 'ask', reason: 'Only verified work is printed.' },
    ),
    actions: printer,
  })
  let report: RoundReport | undefined
  for await (const { event } of run.events()) report = readRoundReport(event) ?? report
  await run.done
  return report
}
