/**
 * A check that calls a tool. It is met if the call succeeds and returns the expected value. The tool may read anything,
 * so results are not reused.
 */

import type { Check } from '../../engine/index.ts'
import type { Json, ToolResult } from '../../loop/index.ts'
import { canonicalJson, type ToolCheckSettings } from '../../protocol/index.ts'
import { runWithTimeout } from '../../system/index.ts'
import { keepOutput, withWhole } from './check-output.ts'

/** Errors which mean that the tool was not called, so that they say nothing about the work. */
const notCalled: ReadonlySet<string> = new Set(['unknown-tool', 'bad-arguments', 'too-many-calls'])

export function toolCheck({ tool, args, expect, timeoutMs }: ToolCheckSettings): Check {
  return async (context) => {
    const answer = await runWithTimeout(timeoutMs, () => context.callTool(tool, args))
    if (answer.type === 'timeout') {
      return {
        kind: 'tool',
        status: 'timeout',
        output: `${tool} took longer than ${timeoutMs} ms.`,
      }
    }
    const result = answer.value
    const whole = textOf(result)
    const output = keepOutput(whole)
    const printed = withWhole(output, whole)
    if (!result.ok) {
      if (result.error === 'timeout') return { kind: 'tool', status: 'timeout', ...printed }
      const status = notCalled.has(result.error ?? '') ? 'error' : 'not-met'
      return { kind: 'tool', status, ...printed }
    }
    if (expect === undefined || isExpected(result.output, expect)) {
      return { kind: 'tool', status: 'met', ...printed }
    }
    const wanted = `Expected ${JSON.stringify(expect).slice(0, 500)}, found:\n`
    return {
      kind: 'tool',
      status: 'not-met',
      ...withWhole(`${wanted}${output}`, `${wanted}${whole}`),
    }
  }
}

function textOf({ output, error }: ToolResult): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return text === '' ? (error ?? '') : text
}

/** Servers return text, which may be the value as JSON. */
function isExpected(output: Json, expected: Json): boolean {
  const wanted = canonicalJson(expected)
  if (canonicalJson(output) === wanted) return true
  if (typeof output !== 'string') return false
  try {
    return canonicalJson(JSON.parse(output)) === wanted
  } catch {
    return false
  }
}
