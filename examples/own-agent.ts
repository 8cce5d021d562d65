/**
 * Your own agent: an object with one function. This one needs no model. It creates the file that
 * the last check missed, and reports it; the check decides whether the work is done.
 * own-agent-contract.ts tests the contract of every agent.
 */

import { type Agent, commandCheck, createPlainCommands, plainLoop } from 'loopwright'
import { createAgents } from 'loopwright/agents'
import { builtInTools, createTools } from 'loopwright/tools'
import type { Example } from './example.ts'

const nothing = { tokens: 0, costMicros: 0 }

export const fileMaker: Agent = {
  async work(task, context) {
    // A stopped agent does nothing more.
    context.signal.throwIfAborted()
    const [, missing] = /^missing: (\S+)$/m.exec(task.prompt) ?? []
    if (missing === undefined) {
      return { status: 'needs-context', text: 'What is missing?', usage: nothing, turns: 1 }
    }
    // An agent reserves the worst case before it spends; beyond the run's limits this throws.
    const reservation = await context.reserve({ tokens: 200, costMicros: 600 })
    // Tools are called through the run: hooks can refuse, and the journal has the call.
    const written = await context.callTool('write', { path: missing, content: `# ${missing}\n` })
    const usage = { tokens: 120, costMicros: 360 }
    await reservation.settle(usage)
    if (!written.ok) return { status: 'failed', text: `${written.error}`, usage, turns: 1 }
    return { status: 'done', text: `${missing} is there, so all is well.`, usage, turns: 1 }
  },
}

const look =
  'for file in README.md LICENSE NOTICE; do [ -f $file ] || { echo "missing: $file"; exit 1; }; done'

export const ownAgentExample: Example = {
  loop: plainLoop({
    name: 'own-agent',
    prompt: 'Make the check pass.{% for check in checks %}\n{{ check.output }}{% endfor %}',
  }),
  input: {},
  limits: { iterations: 10, tokens: 1000 },
  files: { 'index.js': 'export const answer = 42\n' },
  parts: () => ({
    agents: createAgents({ maker: fileMaker }),
    tools: createTools({ tools: builtInTools({ commands: createPlainCommands() }) }),
    checks: { complete: commandCheck('/bin/sh', ['-c', look]) },
  }),
}
