export type KeyKind = 'test' | 'live';

/** The account's two keys. */
export class Keys {
	test = 'ls_test_example';
	live = 'ls_live_example';
	private rotations = 0;

	/** What the account dashboard does with a compromised key: the old one stops working. */
	rotate(kind: KeyKind): string {
		this.rotations++;
		this[kind] = `ls_${kind}_example_rotated_${this.rotations}`;
		return this[kind];
	}
}
