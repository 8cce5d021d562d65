/** A judge: an agent with read-only access. */

import type { JudgeCheckSettings } from '../../../protocol/index.ts'
import { agentName, filesOfAgent } from '../agent-name.ts'
import type { CheckRunner } from '../check-runner.ts'
import { judgeCheck } from '../judge-check.ts'
import { hashSettings } from './fingerprint.ts'

export const judgeKind: CheckRunner<JudgeCheckSettings, JudgeCheckSettings> = {
  plan: async (_name, { agent }) => ({ text: `a judge (${agentName(agent)})` }),
  resolve: async (_name, check) => check,
  open: (name, check) =>
    Object.assign(judgeCheck(name, check), {
      timeoutMs: check.timeoutMs,
      fingerprint: hashSettings(judged(check)),
      kind: 'judge' as const,
    }),
  describe: async (name, check) => ({
    kind: 'judge',
    command: ['judge', name, agentName(check.agent)],
    toolDigest: hashSettings(judged(check)),
    names: filesOfAgent(check.agent),
  }),
  filesNamed: ({ agent }) => filesOfAgent(agent),
  reader: ({ agent, timeoutMs }) => ({ agent, timeoutMs }),
}

/** A judge is identified by its prompt and its agent, including the model. */
const judged = ({ agent, prompt }: JudgeCheckSettings): object => ({ agent, prompt })
