/**
 * The process that drives a run of the budget proof and may be killed: `node gateway-victim.js '<job>'`.
 * It ends when the run has.
 */

import { join } from 'node:path'
import { driveRun } from '#src/engine/drive-run.ts'
import { createOwnerId } from '#src/system/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { type BudgetSabotage, budgetLoop, budgetPorts, openBudgetGateway } from './gateway-run.ts'
import type { Schedule } from './gateway-schedule.ts'
import { asRunId, placesIn } from './victim-world.ts'

export interface GatewayJob {
  readonly base: string
  readonly url: string
  readonly run: string
  readonly schedule: Schedule
  readonly sabotage?: BudgetSabotage | undefined
}

const job: GatewayJob = JSON.parse(process.argv[2] ?? '{}')
const journal = openLocalStore({ path: placesIn(job.base).journal })
const gateway = await openBudgetGateway(job.url, join(job.base, 's'))
const ports = budgetPorts(job.base, journal, gateway, job.schedule, job.sabotage)
await driveRun(asRunId(job.run), budgetLoop(job.schedule), ports, { owner: createOwnerId() })
await gateway.close()
await journal.close()
