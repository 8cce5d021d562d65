/**
 * The contract test of your own agent, with any test runner; this one comes with Node:
 * `node --test build/examples/own-agent-contract.js`.
 */

import { test } from 'node:test'
import { agentContract } from 'loopwright/testing'
import { fileMaker } from './own-agent.ts'

const cases = agentContract({
  make: () => fileMaker,
  task: (word) => ({ prompt: `missing: ${word}.md` }),
  tools: { write: () => 'written' },
  spends: true,
})

for (const { name, run } of cases) void test(name, run)
