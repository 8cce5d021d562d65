export { approvalOnly } from './actions/approval-only.ts'
export { allowListGate, alwaysEscalate, callbackGate, policyGate } from './gates/gates.ts'
