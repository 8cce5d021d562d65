/** What is shown of the gateway: figures of its own, and the sets of `npm test` that are about it. */

import type { Suite } from '../bench/report.ts'
import { gatewayBudget } from './gateway-budget.ts'
import { gatewayFaults } from './gateway-faults.ts'
import { type Counted, countCases } from './hostile-sets.ts'

const sets: readonly Counted[] = [
  {
    name: 'gateway.fault-matrix',
    title: 'everything that providers do wrong, in each format',
    where: 'test/gateway/faults.test.ts',
    casesMin: 120,
  },
  {
    name: 'gateway.http',
    title: 'providers and clients that bend HTTP',
    where: ['test/gateway/provider-wire.test.ts', 'test/gateway/client-wire.test.ts'],
    casesMin: 50,
  },
  {
    name: 'gateway.clients',
    title: 'the official clients of the providers, unmodified',
    where: ['test/gateway/clients.test.ts', 'test/gateway/client-streams.test.ts'],
    casesMin: 16,
  },
  {
    name: 'gateway.canaries',
    title: 'keys in every place and spelling, none of which is ever found',
    where: 'test/gateway/canaries.test.ts',
    casesMin: 57,
  },
  {
    name: 'gateway.hot-loops',
    title: 'thirty agents that ask on and on, whatever they are told',
    where: 'test/gateway/hot-loop.test.ts',
    casesMin: 11,
  },
  {
    name: 'gateway.local-servers',
    title: 'Ollama, vLLM, LM Studio and their habits',
    where: 'test/gateway/local-servers.test.ts',
    casesMin: 12,
  },
]

export const gatewaySuites: readonly Suite[] = [
  gatewayFaults,
  ...sets.map(countCases),
  gatewayBudget,
]
