// E4. Whatever children, retries and crashes do, spending stays within the cap plus one call.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Gateway, openGateway } from '../../src/gateway/index.ts'
import { type ModelAnswer, startModelServer } from '../../src/testing/index.ts'
import { share } from '../share.ts'
import {
  ask,
  createLedger,
  formats,
  keys,
  type Ledger,
  providersAt,
  type QuestionName,
  quickClock,
} from './gateway-fixture.ts'

const schedules = share(1000, 30)
/** The output limit of the requests in these tests. */
const outputMax = 1000

const anyAnswer = (inputMax: number): fc.Arbitrary<ModelAnswer> => {
  const usage = fc.record({ input: fc.nat(inputMax), output: fc.nat(outputMax) })
  const fault = fc.nat(6).map((afterEvents) => ({ does: 'cut' as const, afterEvents }))
  return fc.oneof(
    { weight: 6, arbitrary: usage.map((used) => ({ text: 'ok', usage: used })) },
    { weight: 1, arbitrary: fc.record({ text: fc.constant('half'), usage, fault }) },
    { weight: 1, arbitrary: fc.constant({ status: 429, headers: { 'retry-after': '1' } }) },
    { weight: 1, arbitrary: fc.constantFrom({ status: 500 }, { status: 401 }, { status: 529 }) },
  )
}

interface Child {
  readonly calls: readonly (readonly [QuestionName, boolean])[]
  readonly crashes: { readonly call: number; readonly afterMs: number } | null
}

const someCalls = fc.array(fc.tuple(fc.constantFrom(...formats), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
})
/** Its process dies during this call. */
const crash = fc.record({ call: fc.nat(3), afterMs: fc.nat(6) })

interface Schedule {
  readonly cap: number
  readonly script: readonly ModelAnswer[]
  readonly children: readonly Child[]
}

/** In a calm schedule nothing breaks, so the bill is known. */
const anySchedule = (inputMax: number): fc.Arbitrary<Schedule> => {
  const schedule = (isCalm: boolean): fc.Arbitrary<Schedule> =>
    fc.record({
      cap: fc.integer({ min: 0, max: 8000 }),
      script: fc.array(
        anyAnswer(inputMax).filter((answer) => !isCalm || !('fault' in answer)),
        { minLength: 1, maxLength: 12 },
      ),
      children: fc.array(
        fc.record({ calls: someCalls, crashes: isCalm ? fc.constant(null) : fc.option(crash) }),
        { minLength: 1, maxLength: 4 },
      ),
    })
  return fc.oneof(schedule(true), schedule(false))
}

test.each([
  // The requests are estimated at more than this.
  ['an honest provider', 40, 0],
  ['a provider that counts far more input than expected', 1500, 1],
])(
  `with %s, none of ${schedules} schedules overspends`,
  { timeout: 600_000 },
  async (_name, inputMax, callsOver) => {
    // A request whose process died may arrive when the next schedule has started: each knows its
    // own.
    const scripts: Iterator<ModelAnswer>[] = []
    await using server = await startModelServer(
      ({ headers }) => scripts[Number(headers['x-schedule'])]?.next().value ?? { status: 500 },
    )
    const gateway = await openGateway({
      keys: (provider) => keys[provider],
      providers: providersAt(server.url),
      clock: quickClock(),
    })
    const oneCall = inputMax + outputMax
    const seen = { refused: 0, spent: 0, known: 0 }
    await fc.assert(
      fc.asyncProperty(anySchedule(inputMax), async ({ cap, children, script }) => {
        const number = scripts.push(overAndOver(script)) - 1
        const ledger = createLedger({ tokens: cap, costMicros: 1e9 })
        const statuses = await Promise.all(
          children.map((one) => live(gateway, ledger, one, number)),
        )
        ledger.crash()
        const bills = server.bills.filter(
          (_bill, index) => server.requests[index]?.headers['x-schedule'] === String(number),
        )
        const billed = bills.reduce((sum, { input, output }) => sum + input + output, 0)
        // Each child may have one call in progress that counts more than was estimated.
        const over = callsOver * oneCall * children.length
        expect(ledger.spent.tokens).toBeLessThanOrEqual(cap + over)
        // What a provider bills for a broken response cannot be known; everything else is.
        const isKnown =
          children.every(({ crashes }) => crashes === null) &&
          script.every((answer) => !('fault' in answer))
        expect(isKnown ? billed : ledger.spent.tokens).toBe(ledger.spent.tokens)
        seen.known += isKnown ? 1 : 0
        seen.refused += statuses.flat().filter((status) => status === 402).length
        seen.spent += ledger.spent.tokens
      }),
      { numRuns: schedules },
    )
    expect(seen.refused).toBeGreaterThan(0)
    expect(seen.spent).toBeGreaterThan(0)
    expect(seen.known).toBeGreaterThan(0)
    await gateway.close()
  },
)

function* overAndOver<T>(list: readonly T[]): Generator<T, never> {
  for (;;) yield* list
}

/**
 * A child sends one request after the other until its process dies: then nothing more is settled.
 */
async function live(
  gateway: Gateway,
  ledger: Ledger,
  { calls, crashes }: Child,
  schedule: number,
): Promise<readonly number[]> {
  let isDead = false
  const session = await gateway.session({
    step: 'child',
    signal: new AbortController().signal,
    remaining: ledger.remaining,
    async reserve(worst) {
      const reservation = await ledger.reserve(worst)
      return { settle: async (spent) => (isDead ? undefined : reservation.settle(spent)) }
    },
  })
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${session.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': session.token,
        'x-schedule': String(schedule),
      },
      body: JSON.stringify(body),
    })
  const statuses: number[] = []
  for (const [index, [format, stream]] of calls.entries()) {
    const read = ask({ post }, format, stream)
      .then(async (response) => {
        statuses.push(response.status)
        await response.text()
      })
      .catch(() => undefined)
    if (crashes?.call === index) {
      await new Promise((resolve) => setTimeout(resolve, crashes.afterMs))
      isDead = true
      break
    }
    await read
  }
  await session.close()
  return statuses
}
