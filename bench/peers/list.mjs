// The peers and how to run them. Run as a program, it prints the list as JSON.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { here, peerNode, peerNodeVersion } from './tools.mjs'

// `supports.plain` is false where a run without history would be another peer's run again.
const peer = (name, { script = name, args = [], ...rest }) => ({
  name,
  command: [peerNode(), join(here, `${script}.mjs`), ...args],
  supports: { history: true, plain: true },
  sync: ['FULL', 'NORMAL'],
  node: peerNodeVersion(),
  ...rest,
})

export const peers = [
  peer('langgraph', {}),
  peer('langgraph-delta', {
    script: 'langgraph',
    args: ['--channel', 'delta'],
    supports: { history: true, plain: false },
  }),
  peer('xstate', {}),
  peer('mastra', {}),
  // A run may have 1000 steps, so 500 iterations; more are capped, and the output says so.
  peer('openworkflow', { maxIterations: 500 }),
  peer('dbos', { sync: ['FULL'] }),
  peer('restate', { sync: ['FULL'] }),
]

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${JSON.stringify(peers)}\n`)
}
