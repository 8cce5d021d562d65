/** A tool call. Its result may change even if no file did, so it is always called again. */

import { canonicalJson, type ToolCheckSettings } from '../../../protocol/index.ts'
import type { CheckRunner } from '../check-runner.ts'
import { toolCheck } from '../tool-check.ts'
import { hashSettings } from './fingerprint.ts'

export const toolKind: CheckRunner<ToolCheckSettings, ToolCheckSettings> = {
  plan: async (_name, { tool }) => ({ text: `the tool ${tool}` }),
  resolve: async (_name, check) => check,
  open: (_name, check) =>
    Object.assign(toolCheck(check), {
      timeoutMs: check.timeoutMs,
      kind: 'tool' as const,
      isLive: true as const,
    }),
  describe: async (_name, { tool: name, args, expect }, { described }) => ({
    kind: 'tool',
    command: ['tool', name, canonicalJson(args)],
    toolDigest: hashSettings({
      tool: described.find((tool) => tool.name === name) ?? name,
      expect: expect ?? null,
    }),
    names: [],
  }),
  filesNamed: () => [],
}
