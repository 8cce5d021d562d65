export { readReport } from './read-report.ts'
export { renderReport, reportPolicy } from './render-report.ts'
