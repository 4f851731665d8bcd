/**
 * What is stored of a record: a few numbers. Everything else (street, owner, dates, id) follows from
 * the seed when the record is asked for, which keeps a million records in about 30 MB.
 */
export class Columns {
	time: Float64Array<ArrayBuffer>;
	filed: Float64Array<ArrayBuffer>;
	cell: Uint32Array<ArrayBuffer>;
	head: Uint32Array<ArrayBuffer>;
	setting: Uint32Array<ArrayBuffer>;
	owner: Uint16Array<ArrayBuffer>;
	listed: Uint8Array<ArrayBuffer>;

	constructor(capacity: number) {
		this.time = new Float64Array(capacity);
		this.filed = new Float64Array(capacity);
		this.cell = new Uint32Array(capacity);
		this.head = new Uint32Array(capacity);
		this.setting = new Uint32Array(capacity);
		this.owner = new Uint16Array(capacity);
		this.listed = new Uint8Array(capacity);
	}

	get capacity(): number {
		return this.time.length;
	}

	ensure(length: number): void {
		if (length <= this.capacity) return;
		const larger = new Columns(Math.ceil(length * 1.5));
		larger.time.set(this.time);
		larger.filed.set(this.filed);
		larger.cell.set(this.cell);
		larger.head.set(this.head);
		larger.setting.set(this.setting);
		larger.owner.set(this.owner);
		larger.listed.set(this.listed);
		Object.assign(this, larger);
	}
}
