import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../loop/index.ts'
import { parseLoopFile } from './index.ts'

const parse = async (limits: string) =>
  (
    await parseLoopFile(
      `prompt: x\nagent: repair\nchecks:\n  test: npm test\n  good: { judge: claude, prompt: Good? }\nlimits: ${limits}\n`,
      'loop.yaml',
    )
  ).file.limits

describe('the limits of a loop file', () => {
  test('have defaults', async () => expect(await parse('{}')).toEqual(defaultLimits))

  test('can be those of one iteration, of one agent, and of input and output', async () => {
    const written = `
  inputTokens: 150000
  outputTokens: 50000
  warnAt: 0.9
  iteration: { time: 30m, tokens: 5000, cost: 0.5 }
  agents:
    maker: { calls: 20, tokens: 9000, cost: 1 }
    "judge:good": { inputTokens: 7, outputTokens: 8 }`
    expect(await parse(written)).toEqual({
      ...defaultLimits,
      inputTokens: 150_000,
      outputTokens: 50_000,
      warnAt: 0.9,
      iteration: { timeMs: 1_800_000, tokens: 5000, costMicros: 500_000 },
      agents: {
        maker: { calls: 20, tokens: 9000, costMicros: 1_000_000 },
        'judge:good': { inputTokens: 7, outputTokens: 8 },
      },
    })
  })

  test.each([
    ['{ warnAt: 0.4 }', 'expected a number from 0.5 to 0.95, found the number 0.4'],
    ['{ iteration: { time: 0s } }', 'limits.iteration.time'],
    ['{ iteration: { iterations: 3 } }', 'iterations'],
    ['{ agents: { marker: { calls: 1 } } }', 'maker'],
    ['{ agents: { maker: { calls: 0 } } }', 'limits.agents.maker.calls'],
    ['{ agents: { "judge:test": { calls: 1 } } }', 'judge:good'],
  ])('%s is refused, and the message says why', async (limits, message) => {
    await expect(parse(limits)).rejects.toThrow(message)
  })
})
