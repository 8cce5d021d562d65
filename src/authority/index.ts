export { approvalOnly } from './actions/approval-only.ts'
export { cleanUpExecutor } from './actions/clean-up.ts'
export { commandExecutor } from './actions/command.ts'
export { draftExecutor } from './actions/draft.ts'
export { editArtifactsExecutor } from './actions/edit-artifacts.ts'
export { createActions, definite, failed as failedAction } from './actions/executor.ts'
export {
  commentExecutor,
  type GithubPorts,
  openPrExecutor,
  type RunGh,
} from './actions/github.ts'
export { notifyExecutor } from './actions/notify.ts'
export { reportExecutor } from './actions/report.ts'
export {
  type ActionRepository,
  applyPatchExecutor,
  commitExecutor,
  mergeExecutor,
} from './actions/repository.ts'
export { type StartRunPorts, type StartRunRequest, startRunExecutor } from './actions/start-run.ts'
export { requireAllowed, webhookExecutor } from './actions/webhook.ts'
export {
  allowListGate,
  alwaysEscalate,
  callbackGate,
  chosenGate,
  mergeGate,
  policyGate,
} from './gates/gates.ts'
