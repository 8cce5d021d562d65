/** What the gateway does under faults, kills and a shared budget. */

import type { Suite } from '../bench/report.ts'
import { gatewayBudget } from './gateway-budget.ts'
import { gatewayFaults } from './gateway-faults.ts'

export const gatewaySuites: readonly Suite[] = [gatewayFaults, gatewayBudget]
