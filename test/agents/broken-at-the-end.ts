/**
 * Agents that do not end properly, or whose accounting is wrong, for each case of the contract that
 * detects it.
 */

import {
  type Broken,
  frugal,
  keeper,
  leaveProcess,
  nothing,
  options,
  plain,
  report,
  reporting,
  timers,
  used,
  waits,
  within,
} from './broken-agents.ts'

export const brokenAtTheEnd: Readonly<Record<string, readonly Broken[]>> = {
  'does nothing if it was stopped before it started': [
    {
      why: 'it asks its provider first',
      says: 'went to work',
      make: ({ spending }) => {
        const never = new AbortController().signal
        return (task, context) =>
          keeper({ isSlow: false, spending })(task, { ...context, signal: never })
      },
    },
    { why: 'it says done', says: 'calls its work done', make: () => async () => report },
  ],
  'leaves nothing behind when it is done': [
    {
      why: 'a timer',
      says: 'Timeout',
      make: reporting((r) => {
        timers.push(setInterval(() => undefined, 60_000))
        return r
      }),
    },
    {
      why: 'an orphaned process',
      says: 'process ',
      make: reporting((r, _task, context) => {
        leaveProcess(context)
        return r
      }),
    },
    {
      why: 'a note that comes late',
      says: 'It noted after its end',
      make: reporting((r, _task, { note }) => {
        setTimeout(() => note({ type: 'said', text: 'One more thing.' }), 5)
        return r
      }),
    },
  ],
  'ends before it could be stopped': [
    {
      why: 'it waits',
      says: 'It is not instant',
      make:
        () =>
        (_task, { signal }) =>
          waits(signal),
      options: { ...frugal, isInstant: true },
    },
  ],
  'ends when it is stopped while it works': [
    {
      why: 'it does not listen',
      says: 'did not end within',
      make: () => (_task, context) =>
        waits({ ...context.signal, addEventListener: () => undefined }),
    },
    {
      why: 'it says done',
      says: 'calls its work done',
      make:
        ({ isSlow }) =>
        (_task, { signal }) =>
          isSlow ? waits(signal).catch(() => report) : Promise.resolve(report),
    },
    {
      why: 'it throws what says nothing',
      says: 'It threw TypeError',
      make: (scene) => (task, context) =>
        keeper(scene)(task, context).catch(() => Promise.reject(new TypeError('closed'))),
    },
    { why: 'it cannot be slow', says: 'over before', make: () => plain },
  ],
  'leaves nothing behind when it is stopped': [
    {
      why: 'a timer',
      says: 'Timeout',
      make: within(() => {
        timers.push(setInterval(() => undefined, 60_000))
        return {}
      }),
    },
    {
      why: 'an orphaned process',
      says: 'process ',
      make: within((context) => {
        leaveProcess(context)
        return {}
      }),
    },
  ],
  'continues when another of its tasks is stopped': [
    {
      why: 'one signal ends both',
      says: 'the other ended',
      make(scene) {
        const all = new AbortController()
        return (task, context) => {
          context.signal.addEventListener('abort', () => all.abort())
          return Promise.race([keeper(scene)(task, context), waits(all.signal)])
        }
      },
    },
  ],
  'reserves before it spends': [
    {
      why: 'it asks first',
      says: 'when 0 tokens',
      make: (scene) => (task, context) => {
        scene.spending(used)
        return keeper(scene)(task, context)
      },
    },
    {
      why: 'it settles more than the worst case',
      says: 'reserved at worst',
      make: (scene) =>
        within(({ reserve }) => ({ reserve: () => reserve({ tokens: 120, costMicros: 359 }) }))({
          ...scene,
          spending: () => undefined,
        }),
    },
    {
      why: 'it only says afterwards what it spent',
      says: 'reserved at worst',
      make:
        () =>
        async (_task, { spend }) => {
          spend(used)
          return { ...report, usage: used }
        },
    },
    { why: 'it reserves nothing', says: 'It reserved nothing', make: () => plain },
  ],
  'settles what it reserved, once': [
    {
      why: 'never',
      says: 'settled 0 times',
      make: within(({ reserve }) => ({
        async reserve(amount) {
          await reserve(amount)
          return { settle: () => Promise.resolve() }
        },
      })),
    },
    {
      why: 'twice',
      says: 'settled 2 times',
      make: within(({ reserve }) => ({
        async reserve(amount) {
          const { settle } = await reserve(amount)
          return { settle: (spent) => settle(spent).then(() => settle(spent)) }
        },
      })),
    },
  ],
  'reports the usage that it settled': [
    {
      why: 'it forgets',
      says: 'It reported {"tokens":0,"costMicros":0} and settled',
      make: reporting((r) => ({ ...r, usage: nothing })),
    },
  ],
  'does not spend what the budget refuses': [
    {
      why: 'it continues anyway',
      says: 'Reserve the worst case',
      make: within(({ reserve }) => ({
        reserve: (amount) => reserve(amount).catch(() => ({ settle: () => Promise.resolve() })),
      })),
    },
    {
      why: 'it says done',
      says: 'refused, and it calls its work done',
      make: (scene) => (task, context) => keeper(scene)(task, context).catch(() => report),
    },
  ],
  'spends nothing': [
    { why: 'it spends', says: 'It spends', make: keeper, options: { tools: options.tools } },
    {
      why: 'it reports that it did',
      says: 'It spends',
      make: () => async () => ({ ...report, usage: used }),
      options: frugal,
    },
  ],
}
