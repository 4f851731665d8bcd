/** Why a file is not used: the end of a sentence that begins with its name. */
export class Refusal extends Error {}
