/**
 * A reason not to trust what was read side by side. It never reaches a user: the list is then read
 * page by page, and the message goes into the log.
 */
export class Doubt extends Error {}
