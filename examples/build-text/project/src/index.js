export { capitalize } from './capitalize.js'
