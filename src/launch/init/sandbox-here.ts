/** The sandbox tier of this machine, and why. */

import { openSandbox, type SandboxReport } from '../../sandbox/index.ts'

export async function describeLocalSandbox(): Promise<Pick<SandboxReport, 'tier' | 'reason'>> {
  const { tier, reason } = (await openSandbox()).report
  return { tier, reason }
}
