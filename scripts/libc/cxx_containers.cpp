// What containers of C++'s standard library keep outside their headers: the trees behind map and set, the links of lists, the sizes of hash tables, hashes of texts.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <unordered_map>

#include "labrys.h"

namespace std {

// A tree's header has the root for its parent, the first and the last node for its children; it is red, the root is black.

_Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *x) noexcept {
    if (x->_M_right) {
        x = x->_M_right;
        while (x->_M_left) x = x->_M_left;
        return x;
    }
    _Rb_tree_node_base *above = x->_M_parent;
    while (x == above->_M_right) {
        x = above;
        above = above->_M_parent;
    }
    // From the root of a tree without a right side one comes to the header twice.
    return x->_M_right == above ? x : above;
}

const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *x) noexcept {
    return _Rb_tree_increment(const_cast<_Rb_tree_node_base *>(x));
}

_Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *x) noexcept {
    bool is_header = x->_M_color == _S_red && x->_M_parent->_M_parent == x;
    if (is_header) return x->_M_right;
    if (x->_M_left) {
        x = x->_M_left;
        while (x->_M_right) x = x->_M_right;
        return x;
    }
    _Rb_tree_node_base *above = x->_M_parent;
    while (x == above->_M_left) {
        x = above;
        above = above->_M_parent;
    }
    return above;
}

const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *x) noexcept {
    return _Rb_tree_decrement(const_cast<_Rb_tree_node_base *>(x));
}

using Node = _Rb_tree_node_base;

// Puts `other` where `x` hangs.
static void replace(Node *x, Node *other, Node *&root) {
    if (x == root) root = other;
    else if (x == x->_M_parent->_M_left) x->_M_parent->_M_left = other;
    else x->_M_parent->_M_right = other;
}

static void rotate_left(Node *x, Node *&root) {
    Node *y = x->_M_right;
    x->_M_right = y->_M_left;
    if (y->_M_left) y->_M_left->_M_parent = x;
    y->_M_parent = x->_M_parent;
    replace(x, y, root);
    y->_M_left = x;
    x->_M_parent = y;
}

static void rotate_right(Node *x, Node *&root) {
    Node *y = x->_M_left;
    x->_M_left = y->_M_right;
    if (y->_M_right) y->_M_right->_M_parent = x;
    y->_M_parent = x->_M_parent;
    replace(x, y, root);
    y->_M_right = x;
    x->_M_parent = y;
}

void _Rb_tree_insert_and_rebalance(const bool goes_left, Node *x, Node *above, Node &header) noexcept {
    Node *&root = header._M_parent;
    x->_M_parent = above;
    x->_M_left = x->_M_right = nullptr;
    x->_M_color = _S_red;
    if (goes_left) {
        above->_M_left = x;
        if (above == &header) {
            header._M_parent = x;
            header._M_right = x;
        } else if (above == header._M_left) {
            header._M_left = x;
        }
    } else {
        above->_M_right = x;
        if (above == header._M_right) header._M_right = x;
    }
    while (x != root && x->_M_parent->_M_color == _S_red) {
        Node *parent = x->_M_parent, *grand = parent->_M_parent;
        bool is_left = parent == grand->_M_left;
        Node *uncle = is_left ? grand->_M_right : grand->_M_left;
        if (uncle && uncle->_M_color == _S_red) {
            parent->_M_color = uncle->_M_color = _S_black;
            grand->_M_color = _S_red;
            x = grand;
            continue;
        }
        if (x == (is_left ? parent->_M_right : parent->_M_left)) {
            x = parent;
            if (is_left) rotate_left(x, root);
            else rotate_right(x, root);
        }
        x->_M_parent->_M_color = _S_black;
        grand->_M_color = _S_red;
        if (is_left) rotate_right(grand, root);
        else rotate_left(grand, root);
    }
    root->_M_color = _S_black;
}

Node *_Rb_tree_rebalance_for_erase(Node *const z, Node &header) noexcept {
    Node *&root = header._M_parent, *&first = header._M_left, *&last = header._M_right;
    Node *y = z, *x, *above;
    if (!z->_M_left) {
        x = z->_M_right;
    } else if (!z->_M_right) {
        x = z->_M_left;
    } else {
        y = z->_M_right;
        while (y->_M_left) y = y->_M_left;
        x = y->_M_right;
    }
    if (y != z) {
        // The next node takes the place of the one that goes.
        z->_M_left->_M_parent = y;
        y->_M_left = z->_M_left;
        if (y != z->_M_right) {
            above = y->_M_parent;
            if (x) x->_M_parent = above;
            above->_M_left = x;
            y->_M_right = z->_M_right;
            z->_M_right->_M_parent = y;
        } else {
            above = y;
        }
        replace(z, y, root);
        y->_M_parent = z->_M_parent;
        std::swap(y->_M_color, z->_M_color);
        y = z;
    } else {
        above = y->_M_parent;
        if (x) x->_M_parent = above;
        replace(z, x, root);
        if (first == z) {
            if (!z->_M_right) first = z->_M_parent;
            else for (first = x; first->_M_left;) first = first->_M_left;
        }
        if (last == z) {
            if (!z->_M_left) last = z->_M_parent;
            else for (last = x; last->_M_right;) last = last->_M_right;
        }
    }
    if (y->_M_color == _S_red) return y;
    while (x != root && (!x || x->_M_color == _S_black)) {
        bool is_left = x == above->_M_left;
        Node *other = is_left ? above->_M_right : above->_M_left;
        if (other->_M_color == _S_red) {
            other->_M_color = _S_black;
            above->_M_color = _S_red;
            if (is_left) rotate_left(above, root);
            else rotate_right(above, root);
            other = is_left ? above->_M_right : above->_M_left;
        }
        Node *near = is_left ? other->_M_left : other->_M_right, *far = is_left ? other->_M_right : other->_M_left;
        if ((!near || near->_M_color == _S_black) && (!far || far->_M_color == _S_black)) {
            other->_M_color = _S_red;
            x = above;
            above = above->_M_parent;
            continue;
        }
        if (!far || far->_M_color == _S_black) {
            near->_M_color = _S_black;
            other->_M_color = _S_red;
            if (is_left) rotate_right(other, root);
            else rotate_left(other, root);
            other = is_left ? above->_M_right : above->_M_left;
            far = is_left ? other->_M_right : other->_M_left;
        }
        other->_M_color = above->_M_color;
        above->_M_color = _S_black;
        if (far) far->_M_color = _S_black;
        if (is_left) rotate_left(above, root);
        else rotate_right(above, root);
        break;
    }
    if (x) x->_M_color = _S_black;
    return y;
}

namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const at) noexcept {
    _M_next = at;
    _M_prev = at->_M_prev;
    at->_M_prev->_M_next = this;
    at->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
    if (this == last) return;
    _List_node_base *before = first->_M_prev, *end = last->_M_prev;
    before->_M_next = last;
    last->_M_prev = before;
    first->_M_prev = _M_prev;
    _M_prev->_M_next = first;
    end->_M_next = this;
    _M_prev = end;
}

void _List_node_base::_M_reverse() noexcept {
    _List_node_base *node = this;
    do {
        std::swap(node->_M_next, node->_M_prev);
        node = node->_M_prev;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &a, _List_node_base &b) noexcept {
    bool is_a_empty = a._M_next == &a, is_b_empty = b._M_next == &b;
    std::swap(a._M_next, b._M_next);
    std::swap(a._M_prev, b._M_prev);
    // Neighbours still point to the other head; an empty list points to itself.
    if (is_b_empty) a._M_next = a._M_prev = &a;
    else a._M_next->_M_prev = a._M_prev->_M_next = &a;
    if (is_a_empty) b._M_next = b._M_prev = &b;
    else b._M_next->_M_prev = b._M_prev->_M_next = &b;
}

// Numbers of buckets: the order in which a table is walked hangs on them.
static const unsigned short primes[] = {
    1,   2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,  67,  71,   73,   79,   83,   89,   97,  103,
    109, 113, 127, 137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383,  409,  439,  467,  503,  541, 577,
    619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029, 2179, 2357, 2549, 2753, 2971, 3209, 3469,
};

size_t _Prime_rehash_policy::_M_next_bkt(size_t count) const {
    // 5 and 7 begin below themselves, and 11: that is how the short table goes.
    static const unsigned char few[] = {1, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};
    size_t buckets = 0;
    if (count < sizeof few) {
        buckets = few[count];
        if (count == 0) return 1;
    } else {
        for (size_t i = 0; i < sizeof primes / sizeof primes[0] && buckets == 0; i++)
            if (primes[i] >= count) buckets = primes[i];
        if (buckets == 0) labrys_unmodelled("a hash table of so many elements");
    }
    _M_next_resize = (size_t)floor(buckets * (double)_M_max_load_factor);
    return buckets;
}

std::pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t added) const {
    size_t wanted = elements + added;
    if (wanted <= _M_next_resize) return {false, 0};
    if (_M_next_resize == 0 && wanted < 11) wanted = 11;
    double least = wanted / (double)_M_max_load_factor;
    if (least >= buckets) {
        size_t count = (size_t)floor(least) + 1;
        return {true, _M_next_bkt(count > buckets * 2 ? count : buckets * 2)};
    }
    _M_next_resize = (size_t)floor(buckets * (double)_M_max_load_factor);
    return {false, 0};
}

}  // namespace __detail

// MurmurHash64A, of Austin Appleby, over the bytes of a text.
size_t _Hash_bytes(const void *data, size_t length, size_t seed) {
    const uint64_t multiplier = 0xc6a4a7935bd1e995u;
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    uint64_t hash = seed ^ (length * multiplier);
    size_t whole = length & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word *= multiplier;
        word ^= word >> 47;
        word *= multiplier;
        hash ^= word;
        hash *= multiplier;
    }
    if (length > whole) {
        uint64_t rest = 0;
        for (size_t i = length; i > whole; i--) rest = rest << 8 | bytes[i - 1];
        hash ^= rest;
        hash *= multiplier;
    }
    hash ^= hash >> 47;
    hash *= multiplier;
    return hash ^ hash >> 47;
}
}  // namespace std
